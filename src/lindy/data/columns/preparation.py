"""How the table of a training was read, kept with the model, so that every other table for it is read in the same way.

A model keeps it in ``columns_``, a dictionary of strings, beside the names of the columns:

====================  =================================================================================================
``text_is``           "plain", or "mail": texts are raw messages, with ``headers`` and ``contacts`` of `MailWords`
``merge_labels``      which spellings of a label were merged (`LabelRules`), where that was not "spaces"
``label_bins``        which scores became which label (`LabelBins`), where labels were made of scores
``label_separator``   what stands between several labels of a row, "" for lists and columns of labels, "none" where
                      joined labels were kept whole
``strict``            "yes" where blank labels were refused
``format``            the format that was given; "folder" and "mail" also where they were found
``encoding``          the encoding that was given; likewise ``sheet`` and ``header_row``
====================  =================================================================================================

Who asks for something else gets it. What another table does not have is not insisted on: text that is UTF-8 is read
as UTF-8, a workbook without that sheet by its first one, and a header row is taken only if the names of the training
stand in it. Models of earlier versions have none of this, and read tables as they did.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lindy.data.formats.registry import FORMATS, MERGES, format_by_name
from lindy.errors import ModelFileError

if TYPE_CHECKING:
    from lindy.data.columns.label_bins import LabelBins
    from lindy.data.columns.label_cleaning import LabelRules
    from lindy.data.columns.table import Table

_LONGEST_NUMBER = 12  # digits of a row
_UNMARKED = ("lines", "fasttext", "mail")  # formats that the beginning of a stream does not tell
READING = ("format", "encoding", "sheet", "header_row")
"""The options of `read_table` that are kept."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """How a table was read, and what was done to its labels.

    Attributes
    ----------
    names : tuple of str
        The columns that were used.
    text_is : {"plain", "mail"} or None
        Whether texts are raw messages; None for models of earlier versions.
    from_files : bool
        Whether the model learned from files; otherwise nothing is known about them.
    merge_labels, label_bins, label_separator, strict, format, encoding, sheet, header_row :
        As the options of `read_table` and `LabelRules`; None for what was not given.
    """

    names: tuple[str, ...] = ()
    text_is: str | None = None
    from_files: bool = False
    merge_labels: str | None = None
    label_bins: str | None = None
    label_separator: str | None = None
    strict: bool | None = None
    format: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header_row: int | None = None

    @classmethod
    def of(cls, model: Any) -> Preparation:
        """Return what a fitted `TextClassifier` keeps; ModelFileError if that is not what a training writes."""
        kept: Mapping[str, str] = model.columns_
        several = [name for names in (model.columns or {}).values() for name in names]
        names = several or ([kept["text"]] if "text" in kept else [])
        row = kept.get("header_row")
        known = (
            kept.get("merge_labels", MERGES[0]) in MERGES
            and kept.get("format", FORMATS[0]) in FORMATS
            and (
                row is None
                or (row.isascii() and row.isdigit() and len(row) < _LONGEST_NUMBER and int(row) > 0)
            )
        )
        if not known:
            raise ModelFileError(
                "the model's file does not say in words of this version how tables are read",
                "Train the model again, or use the version of lindy that wrote it.",
            )
        return cls(
            names=tuple(names),
            text_is=kept.get("text_is"),
            from_files=bool(kept),
            merge_labels=kept.get("merge_labels"),
            label_bins=kept.get("label_bins"),
            label_separator=kept.get(
                "label_separator", "" if getattr(model, "several_labels", False) else None
            ),
            strict=True if kept.get("strict") else None,
            format=kept.get("format"),
            encoding=kept.get("encoding"),
            sheet=kept.get("sheet"),
            header_row=None if row is None else int(row),
        )

    def rules(
        self,
        classes: Iterable[Any] = (),
        *,
        merge_labels: str | None = None,
        strict: bool | None = None,
        label_bins: LabelBins | None = None,
        label_separator: str | None = None,
        is_part: bool = False,
    ) -> LabelRules:
        """Return what is done to labels, with those of a model's ``classes`` first; what is given goes before."""
        from lindy.data.columns.label_bins import LabelBins
        from lindy.data.columns.label_cleaning import LabelRules

        if label_bins is None and self.label_bins is not None:
            label_bins = LabelBins.of(self.label_bins)
        return LabelRules(
            strict=bool(self.strict if strict is None else strict),
            merge=merge_labels or self.merge_labels or "spaces",
            known=tuple(str(label) for label in classes),
            is_part=is_part,
            bins=label_bins,
            separator=self.label_separator if label_separator is None else label_separator,
            finds=self.label_separator == "",
        )

    def reading(self, paths: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of `read_table` for other inputs: as ``given``, and otherwise as in training."""
        options = {name: given.get(name) for name in READING}
        options["format"] = options["format"] or self._format(paths)
        if options["encoding"] is None and self.encoding is not None:
            options["encoding"] = self.encoding if self.encoding == "auto" else f"utf-8,{self.encoding}"
        preferred = [
            name for name in ("sheet", "header_row") if options[name] is None and getattr(self, name)
        ]
        return options | ({"like": self} if preferred else {})

    def read(self, path: str) -> Table:
        """Read another table as that of the training was read."""
        from lindy.data.chunks.chunks import read_table

        options = self.reading([path], {})
        return read_table(path, options.pop("format"), **options)

    def _format(self, paths: Sequence[str]) -> str | None:
        """Return the format of inputs that nobody named one for; None if it is found as for any table."""
        are_folders = any(map(os.path.isdir, paths))
        named = {format_by_name(path) for path in paths if path != "-" and not os.path.isdir(path)}
        kind = None
        if self.format == "folder":  # a message is read as it is, in its folder and alone
            kind = "folder" if are_folders or named == {"mail"} else None
        elif self.text_is is None and self.from_files:  # a model of an earlier version
            kind = "folder" if are_folders else None
        elif named - {None, "mail"} or any(path.endswith((".lindy", ".xls")) for path in paths):
            kind = None
        elif "-" in paths:
            kind = self.format if self.format in _UNMARKED else None
        elif self.text_is == "mail" and (are_folders or None in named) and self.format in (None, "mail"):
            kind = "mail"
        elif None in named and not are_folders:
            kind = self.format
        return kind if self.names else None


def noted(table: Table, **given: Any) -> Table:
    """Return a table that says how it was read, so that a model that learns from it keeps that."""
    said = {name: str(value) for name, value in given.items() if value is not None}
    return replace(table, source={**table.source, **said}) if said else table


def label_source(rules: LabelRules) -> dict[str, str]:
    """Return what a model keeps about labels that were cleaned by these rules."""
    merged = {} if rules.merge == "spaces" else {"merge_labels": rules.merge}
    own = {} if rules.separator is None else {"label_separator": rules.separator}
    return merged | ({"strict": "yes"} if rules.strict else {}) | own


def are_names(cells: Collection[str], names: Sequence[str]) -> bool:
    """Whether the names of a training stand among the cells of a row."""
    return bool(names) and set(names) <= set(cells)
