"""The flags of ``fasttext supervised`` and ``fasttext quantize``, and what they are here.

``lindy train -wordNgrams 2 -lr 0.5`` is answered with the command to write instead, and with why flags are not needed.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lindy.cli.parsing import UsageError

if TYPE_CHECKING:
    from lindy.textclassifier import TextClassifier

_OPTIMUM = "the weights are found to a proof, at any rate and in as many rounds as it takes"
_VECTORS = "every word has a weight for each label, and no vector"
_LOSSES = {
    "softmax": ["--learner", "maxent"],
    "hs": ["--learner", "maxent"],
    "ova": ["--learner", "maxent", "--param", "multiclass=one-vs-rest"],
    "ns": ["--learner", "maxent", "--param", "multiclass=one-vs-rest"],
}


@dataclass
class Translation:
    """A command of lindy as it takes shape: what it reads, its options, and flags that it does not need."""

    command: str = "train"
    inputs: list[str] = field(default_factory=list)
    output: str | None = None
    options: list[str] = field(default_factory=list)
    shortest: int = 0
    longest: int = 0
    needless: dict[str, list[str]] = field(default_factory=dict)

    def words(self) -> list[str]:
        """Return the command."""
        chars = ["--chars", f"{max(self.shortest, 1)}-{self.longest}"] if self.longest > 0 else []
        words = ["--ngrams", "1"] if chars and "--ngrams" not in self.options else []
        output = ["-o", self.output] if self.output else []
        return ["lindy", self.command, *(self.inputs or ["FILE"]), *output, *self.options, *words, *chars]


Writing = Callable[[Translation, str], None]


@dataclass(frozen=True)
class Flag:
    """A flag of fastText: what it adds to a command of lindy, or why it is not needed."""

    write: Writing | None = None
    why: str = ""
    takes_value: bool = True


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Add ``--strict-fasttext``, which ``load_strictly`` reads."""
    parser.add_argument(
        "--strict-fasttext",
        action="store_true",
        help="of a model of fastText: texts end with their first line, and probabilities may be above 1, as there",
    )


def load_strictly(args: argparse.Namespace) -> TextClassifier:
    """Load the model of a command, strictly if that was asked for."""
    from lindy.textclassifier import load

    model = load(args.model, n_jobs=args.threads)
    if args.strict_fasttext:
        from lindy.modelfile.fasttext_models import answer_strictly

        answer_strictly(model)
    return model


def _option(*words: str) -> Writing:
    return lambda made, value: made.options.extend(word.format(value) for word in words)


def _output(made: Translation, value: str) -> None:
    made.output = f"{value.removesuffix('.bin').removesuffix('.ftz')}.lindy"


def _shortest(made: Translation, value: str) -> None:
    made.shortest = int(value)


def _longest(made: Translation, value: str) -> None:
    made.longest = int(value)


def _ngrams(made: Translation, value: str) -> None:
    made.options += ["--ngrams", "1" if int(value) <= 1 else f"1-{int(value)}"]


def _loss(made: Translation, value: str) -> None:
    made.options += _LOSSES.get(value, ["--learner", "maxent"])


def _verbose(made: Translation, value: str) -> None:
    made.options += ["--quiet"] if value == "0" else []


def _tuned(*words: str) -> Writing:
    def write(made: Translation, value: str) -> None:
        made.command = "tune"
        made.options += [word.format(value) for word in words]

    return write


def _metric(made: Translation, value: str) -> None:
    """FastText's f1 of all labels together is the share of right labels where every text has one."""
    kind, _, rest = value.partition(":")
    label = rest.removeprefix("__label__")
    made.command = "tune"
    if kind == "f1" and label:
        made.options += ["--metric", f"f1:{label}"]
    if kind == "recallAtPrecision":
        percent, _, label = rest.partition(":")
        parts = ["recall@precision", f"{float(percent) / 100:g}", label.removeprefix("__label__")]
        made.options += ["--metric", ":".join(part for part in parts if part)]


FLAGS: dict[str, Flag] = {
    "input": Flag(lambda made, value: made.inputs.append(value)),
    "output": Flag(_output),
    "verbose": Flag(_verbose, "progress is shown in terminals only"),
    "minCount": Flag(_option("--min-count", "{}")),
    "minCountLabel": Flag(None, "labels are never left out, and rare ones are said"),
    "wordNgrams": Flag(_ngrams),
    "bucket": Flag(None, "every n-gram has a place of its own; --hash N gives them N places"),
    "minn": Flag(_shortest),
    "maxn": Flag(_longest),
    "t": Flag(None, "frequent words count less by their document frequency"),
    "label": Flag(None, "labels begin with __label__ in .ft files, and stand in a column of others"),
    "lr": Flag(None, _OPTIMUM),
    "lrUpdateRate": Flag(None, _OPTIMUM),
    "dim": Flag(None, _VECTORS),
    "ws": Flag(None, _VECTORS),
    "epoch": Flag(
        None, "learners stop when they are done; with --learner perceptron, --param epochs=N sets how many"
    ),
    "neg": Flag(None, _OPTIMUM),
    "loss": Flag(_loss),
    "thread": Flag(_option("--threads", "{}")),
    "pretrainedVectors": Flag(None, _VECTORS),
    "saveOutput": Flag(None, _VECTORS, takes_value=False),
    "seed": Flag(None, "nothing is drawn at random, and the same table gives the same file"),
    "autotune-validation": Flag(_tuned("--dev", "{}")),
    "autotune-metric": Flag(_metric, "the share of right labels, or micro-F1 of several, is the usual one"),
    "autotune-predictions": Flag(_tuned(), "--metric precision@K is for several labels per text"),
    "autotune-duration": Flag(_tuned("--budget", "{}s")),
    "autotune-modelsize": Flag(
        None, "afterwards, 'lindy shrink MODEL -o SMALL --size SIZE' makes a file of that size"
    ),
    "cutoff": Flag(_option("--max-features", "{}")),
    "retrain": Flag(None, "features are chosen before the weights are learned", takes_value=False),
    "qnorm": Flag(None, _VECTORS, takes_value=False),
    "qout": Flag(None, _VECTORS, takes_value=False),
    "dsub": Flag(None, _VECTORS),
}
"""By the name without its dash."""
_OWN = ("label", "seed")  # names that options of lindy have, too
COMMANDS = ("train", "tune", "supervised", "quantize")
"""Where these flags are understood."""


def flag_of(word: str) -> str | None:
    """Return the flag that a word of a command line is; None if it is none."""
    name = word.removeprefix("--") if word.startswith("--") else word.removeprefix("-")
    is_one = word.startswith("-") and name in FLAGS
    return name if is_one and not (word.startswith("--") and name in _OWN) else None


def refuse_flags(args: list[str]) -> None:
    """Raise UsageError, with the command to write instead, if a command has flags of fastText."""
    found = next((word for word in args[1:] if flag_of(word)), None)
    if args and args[0] in COMMANDS[:2] and found is not None:
        raise UsageError(f"argument {found}: this is an option of fastText", translated(args))


def translated(args: list[str]) -> str:
    """Return what to write in the place of a command with flags of fastText."""
    made = Translation("tune" if args[0] == "tune" else "train")
    words, at, with_values = args[1:], 0, _own_options(made.command)
    while at < len(words):
        word, name = words[at], flag_of(words[at])
        if name is None:
            width = 1 + (word in with_values)
            (made.options if word.startswith("-") else made.inputs).extend(words[at : at + width])
            at += width
            continue
        flag = FLAGS[name]
        value = words[at + 1] if flag.takes_value and at + 1 < len(words) else ""
        at += 1 + flag.takes_value
        if flag.takes_value and not value:
            return f"-{name} takes a value"
        before = repr(made)
        try:
            if flag.write is not None:
                flag.write(made, value)
        except ValueError:
            return f"-{name} takes a number, not {value!r}"
        if flag.why and before == repr(made):
            made.needless.setdefault(flag.why, []).append(f"-{name}")
    said = [f"write: {shlex.join(made.words())}"]
    said += [f"{', '.join(flags)} not needed: {why}" for why, flags in made.needless.items()]
    return "; ".join([*said, "the page guide/from-fasttext has every flag"])


def _own_options(command: str) -> set[str]:
    """Return the options of lindy that a value follows."""
    from lindy.cli.app import parser

    (found,) = (a for a in parser((command,))._actions if isinstance(a, argparse._SubParsersAction))
    own = found.choices[command]._option_string_actions
    return {option for option, action in own.items() if action.nargs != 0}
