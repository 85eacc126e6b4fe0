"""The options of ``TextClassifier`` are declared once: constructor, docstring, command line and fit have the same."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

from lindy import TextClassifier
from lindy.cli.app import parser
from lindy.tuning.pipeline_spec import PipelineSpec
from lindy.tuning.text_options import FEATURES, TextOptions

OTHERWISE = {"recipe", "vectorizer", "extra", "columns", "n_jobs"}
"""Which no command takes as they are."""


def test_constructor_docstring_and_fit_have_the_options_in_their_order() -> None:
    names = list(TextOptions.__annotations__)
    assert list(inspect.signature(TextClassifier).parameters) == names
    assert list(inspect.signature(PipelineSpec).parameters) == names
    assert (
        re.findall(r"^(\w+) : ", (TextClassifier.__doc__ or "").partition("Attributes\n")[0], re.M) == names
    )
    assert set(FEATURES) < set(names)


def test_a_command_has_the_defaults_of_the_constructor() -> None:
    args = parser(("train",)).parse_args(["train", "table.csv"])
    given = {name: getattr(args, name) for name in TextOptions.__annotations__ if hasattr(args, name)}
    assert given == {
        name: value for name, value in TextClassifier().get_params().items() if name not in OTHERWISE
    }


def test_the_declaration_imports_neither_numpy_nor_what_takes_long() -> None:
    code = "import sys, lindy.tuning.text_options; assert not {'numpy', 'inspect', 'dataclasses'} & set(sys.modules)"
    subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"], check=True
    )
