"""The pages for those who come from another toolkit: everything that they call lindy's runs; fastText's commands."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from lindy.cli.app import NOWHERE, parser
from lindy.cli.options.fasttext_flags import FLAGS, refuse_flags
from lindy.cli.parsing import UsageError
from lindy.data import samples
from tests.cli.conftest import Command

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
PAGES = sorted(GUIDE.glob("from-*.md"))


def ours(page: Path) -> list[str]:
    """Return the code of the last column of the page's tables."""
    lines = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    rows = [line for line in lines.splitlines() if line.startswith("|")]
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row.rsplit(" | ", 1)[1])]


@pytest.fixture
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for part in ("train", "test"):
        shutil.copy(samples.path(f"reviews-{part}"), f"{part}.csv")


@pytest.mark.usefixtures("_place")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_commands_and_snippets_run(page: Path, lindy: Command) -> None:
    names: dict[str, Any] = {}
    for block in re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        exec(compile(block, str(page), "exec"), names)
    for code in ours(page):
        if code.startswith("lindy "):
            outcome = lindy(*shlex.split(code)[1:])
            assert outcome.code == 0, f"{code}\n{outcome.err}"
        elif not code.startswith("-"):
            exec(compile(code, f"{page}: {code}", "exec"), names)


def test_there_are_tables_on_every_page() -> None:
    assert [page.stem for page in PAGES] == [
        "from-fasttext",
        "from-liblinear",
        "from-scikit-learn",
        "from-vowpal-wabbit",
    ]
    for page in PAGES:
        assert sum(code.startswith("lindy ") for code in ours(page)) >= 5
        assert sum(not code.startswith("lindy ") for code in ours(page)) >= 4


@pytest.mark.parametrize(
    ("word", "here"),
    [
        ("supervised", "lindy train FILE -o MODEL"),
        ("test", "lindy evaluate MODEL FILE', with --fasttext"),
        ("test-label", "lindy evaluate MODEL FILE"),
        ("predict-prob", "lindy predict MODEL FILE --proba"),
        ("quantize", "lindy shrink"),
        ("dump", "lindy inspect MODEL"),
        ("skipgram", "lindy embed FILE"),
        ("cbow", "lindy embed FILE"),
    ],
)
def test_commands_of_fasttext_say_what_is_meant(word: str, here: str, lindy: Command) -> None:
    outcome = lindy(word, "-input", "train.txt")
    assert outcome.code == 2
    assert not outcome.out
    assert outcome.err.startswith(f"error: unknown command '{word}'\nhint:  in lindy this is ")
    assert here in outcome.err


@pytest.mark.parametrize("word", NOWHERE)
def test_commands_about_word_vectors_say_what_comes_nearest(word: str, lindy: Command) -> None:
    outcome = lindy(word, "model.bin")
    assert outcome.code == 2
    assert outcome.err.startswith(
        f"error: unknown command '{word}'\nhint:  lindy learns classifiers, and no word "
    )
    commands = re.findall(r"'lindy (\S+)", outcome.err)
    assert commands
    assert {*commands} <= {"train", "inspect", "predict", "explain"}


VALUES = {
    "input": ("dev.ft", "lindy train train.ft dev.ft"),
    "output": ("other.bin", "lindy train train.ft -o other.lindy"),
    "verbose": ("0", "lindy train train.ft --quiet"),
    "minCount": ("2", "lindy train train.ft --min-count 2"),
    "wordNgrams": ("3", "lindy train train.ft --ngrams 1-3"),
    "minn": ("2", "lindy train train.ft"),
    "maxn": ("4", "lindy train train.ft --ngrams 1 --chars 1-4"),
    "loss": ("ova", "lindy train train.ft --learner maxent --param multiclass=one-vs-rest"),
    "thread": ("3", "lindy train train.ft --threads 3"),
    "autotune-validation": ("dev.ft", "lindy tune train.ft --dev dev.ft"),
    "autotune-metric": ("f1:__label__positive", "lindy tune train.ft --metric f1:positive"),
    "autotune-predictions": ("1", "lindy tune train.ft"),
    "autotune-duration": ("60", "lindy tune train.ft --budget 60s"),
    "cutoff": ("100", "lindy train train.ft --max-features 100"),
}


def written_instead(*words: str) -> str:
    """Return the command that the hint says, which lindy itself understands."""
    with pytest.raises(UsageError) as raised:
        refuse_flags(list(words))
    hint = str(raised.value.hint)
    command = hint.partition("write: ")[2].partition("; ")[0]
    parser().parse_args(shlex.split(command)[1:])
    return command


@pytest.mark.parametrize("name", FLAGS)
def test_each_flag_is_answered_with_what_to_write_or_why_it_is_not_needed(name: str, lindy: Command) -> None:
    value, wanted = VALUES.get(name, ("1", "lindy train train.ft"))
    given = [f"-{name}", value] if FLAGS[name].takes_value else [f"-{name}"]
    assert written_instead("train", "train.ft", *given) == wanted
    outcome = lindy("train", "train.ft", *given)
    assert outcome.code == 2
    assert outcome.err.startswith(
        f"error: argument -{name}: this is an option of fastText\nhint:  write: lindy t"
    )
    if FLAGS[name].write is None:
        assert f"-{name} not needed: {FLAGS[name].why}" in outcome.err


def test_flags_are_answered_together() -> None:
    own = ["--text", "body", "--force"]
    words = ["-wordNgrams", "2", *own, "train.ft", "-lr", "0.5", "-minn", "3", "-maxn", "6", "-output", "a b"]
    said = "lindy train train.ft -o 'a b.lindy' --ngrams 1-2 --text body --force --chars 3-6"
    assert written_instead("train", *words) == said
    wanted = "lindy tune train.ft --metric recall@precision:0.3:spam"
    asked = "recallAtPrecision:30:__label__spam"
    assert written_instead("train", "train.ft", "--autotune-metric", asked) == wanted
    assert written_instead("train", "--wordNgrams", "1", "a") == "lindy train a --ngrams 1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.ft", "-wordNgrams", "two"], "-wordNgrams takes a number, not 'two'"),
        (["a.ft", "-output"], "-output takes a value"),
        (["a.ft", "-autotune-metric", "recallAtPrecision:x"], "-autotune-metric takes a number"),
    ],
)
def test_flags_with_wrong_values_are_told(words: list[str], said: str, lindy: Command) -> None:
    outcome = lindy("train", *words)
    assert outcome.code == 2
    assert said in outcome.err


def test_options_of_lindy_are_no_flags() -> None:
    refuse_flags(["train", "a.csv", "--label", "x", "--seed", "1", "-o", "m", "-q"])
    refuse_flags(["predict", "m.lindy", "-input"])
    refuse_flags([])


def test_a_whole_command_of_fasttext_is_translated(lindy: Command) -> None:
    err = lindy("supervised", "-input", "a.ft", "-output", "m", "-epoch", "5").err
    assert "write: lindy train a.ft -o m.lindy; -epoch not needed: " in err


def test_the_page_has_every_flag() -> None:
    page = (GUIDE / "from-fasttext.md").read_text(encoding="utf-8")
    rows = page.partition("### Every flag")[2].partition("## fastText's own models")[0]
    first = " ".join(row.split(" | ")[0] for row in rows.splitlines() if row.startswith("| `-"))
    assert {*re.findall(r"`-(\S+?)[` ]", first)} == set(FLAGS)
