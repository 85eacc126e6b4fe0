"""The first table of benchmarks/RELIABILITY.md: every promise, where it is tried, and the figure that the record holds.

Figures are taken out of the sections below the table, each of which is the output of the command that it names; a
promise that a test of ``make test`` keeps alone names the test.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MISSING = "not measured yet"


@dataclass(frozen=True)
class Promise:
    """What is promised; the topic that tries it by the thousand and how its output says the figure; tests beside it."""

    text: str
    topic: str = ""
    figure: Callable[[str], str] | None = None
    tests: tuple[str, ...] = ()

    def row(self, sections: dict[str, str]) -> str:
        """Return the row of the table."""
        where = [f"[{self.topic}](#{self.topic})"] * bool(self.topic)
        where += [f"`{test}`" for test in self.tests]
        said = "kept by every run of its tests"
        if self.figure:
            said = self.figure(sections[self.topic]) if self.topic in sections else MISSING
        return f"| {self.text} | {', '.join(where)} | {said} |"


def says(pattern: str, form: str) -> Callable[[str], str]:
    """Return a function that finds a pattern in a section and puts its groups (or none) into a sentence."""

    def figure(section: str) -> str:
        match = re.search(pattern, section)
        return form.format(*match.groups("none")) if match else MISSING

    return figure


def rows(start: str, form: str) -> Callable[[str], str]:
    """Return a function that adds up the columns of the rows that begin so, and puts rows and sums into a sentence.

    Only whole numbers are columns, as far as every row has them.
    """

    def figure(section: str) -> str:
        found = [
            re.findall(r"(?<=\s)[\d,]+(?=\s|$)", tail) for tail in re.findall(rf"(?m)^{start}(.*)$", section)
        ]
        if not found:
            return MISSING
        sums = [sum(int(cell.replace(",", "")) for cell in column) for column in zip(*found, strict=False)]
        return form.format(len(found), *(f"{number:,}" for number in sums))

    return figure


def together(*figures: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that says one figure after the other."""
    return lambda section: "; ".join(figure(section) for figure in figures)


def largest(start: str, form: str) -> Callable[[str], str]:
    """Return a function that puts the largest number with two decimals of the rows that begin so into a sentence."""

    def figure(section: str) -> str:
        lines = re.findall(rf"(?m)^{start}.*$", section)
        found = [number for line in lines for number in re.findall(r"\s(\d+\.\d\d)(?!\d)", line)]
        return form.format(max(found, key=float)) if found else MISSING

    return figure


PROMISES = [
    Promise(
        "A cut or changed model file is refused",
        "modelfiles",
        says(
            r"truncations ([\d,]+), flipped bits ([\d,]+): (\d+) not",
            "{0} truncations, {1} flipped bits: {2} loaded",
        ),
        ("tests/hostile/test_damaged_model.py",),
    ),
    Promise(
        "A forged model file is refused, or answers, at a bounded cost",
        "modelfiles",
        says(r"([\d,]+) forgeries with a right checksum: (.*)", "{0} forgeries: {1}"),
        ("tests/hostile/test_every_model.py", "tests/hostile/test_forged_costs.py"),
    ),
    Promise(
        "Loading runs nothing of the file",
        "modelfiles",
        says(r"It is not run by (lindy)", "a malicious pickle is not run"),
        ("tests/hostile/test_loading_audit.py",),
    ),
    Promise(
        "Models of every release are loaded for ever",
        tests=("tests/modelfile/test_earlier_releases.py",),
    ),
    Promise(
        "`kill -9` while saving leaves the old or the new model",
        "kills",
        rows(r"lindy, \w+", "{1} kills, {4} lost, {6} files left over"),
        ("tests/hostile/test_interrupted_writers.py",),
    ),
    Promise(
        "A full disk or a failing write is an error and leaves the old file",
        "disks",
        says(
            r"([\d,]+) failing calls \((.*?)\), (\d+) handled badly",
            "{0} failing calls ({1}), {2} handled badly",
        ),
        ("tests/hostile/test_failing_disks.py",),
    ),
    Promise(
        "Malformed matrices, labels and weights are refused by every estimator and method",
        "matrices",
        rows(
            r"lindy, all \d+ estimators", "{1} calls: {2} crashes, {3} hangs, {4} silent, {5} unnamed errors"
        ),
        ("tests/hostile/test_malformed_csr.py", "tests/hostile/test_odd_matrices.py"),
    ),
    Promise(
        "The core has no wrong access and no undefined behaviour",
        "sanitizer",
        says(
            r"([\d,]+ tests run, \d+ failed, \d+ findings)(?:\nnot run yet: (\d+ files))?",
            "{0}; not run: {1}",
        ),
        ("tests/hostile/test_arrays_changed_meanwhile.py",),
    ),
    Promise(
        "Inputs that reach new code break nothing, and native code answers as its twin",
        "fuzzing",
        rows(
            r"(?=analyser|delimited|svmlight|modelfile|loader|mail)\w+", "{1} inputs, {6} wrong, {7} findings"
        ),
        ("tests/hostile/test_fuzz_corpus.py",),
    ),
    Promise(
        "Finite in, finite out: every fit ends with finite numbers or a named error",
        "numbers",
        rows(
            r"lindy, \d+ combinations",
            "{1} fits: {2} finite, {3} refused, {4} hangs, {5} crashes, {6} not finite, {7} unnamed",
        ),
        ("tests/hostile/test_odd_numbers.py", "tests/hostile/test_extreme_numbers.py"),
    ),
    Promise(
        "Stochastic solvers never end above the objective of zero weights",
        "steps",
        rows(r"\| [\w -]+ \| [\w, -]+ \|(?= \d)", "{0} kinds of rows and losses, {1} fits: {2} above"),
    ),
    Promise(
        "Ctrl-C ends every kind of fit and every command",
        "interrupts",
        together(
            rows(
                r"(?:solver|learner|vectorizer|automatic) ?[\w-]+(?= )",
                "{0} kinds of fit: {1} stopped, {2} late, {3} ignored",
            ),
            rows(r"(?:train|tune|compare)(?: [a-z]\S*)?(?= )", "{0} commands, {4} wrong"),
        ),
        ("tests/hostile/test_interrupted_fits.py",),
    ),
    Promise(
        "Same seed, same bytes at any number of threads, instruction set and BLAS",
        tests=("tests/same_bytes/test_same_bytes.py",),
    ),
    Promise(
        "scikit-learn's estimator checks, all of them",
        tests=("tests/test_estimator_checks.py", "tests/test_text_estimator.py"),
    ),
    Promise(
        "Odd tables, svmlight and Vowpal Wabbit files are read as written down beforehand, or refused",
        "tables",
        rows(
            r"(?:CSV|svmlight|Vowpal Wabbit) +lindy",
            "{1} files: {2} right, {3} misread, {4} too strict, {5} crashes",
        ),
        ("tests/data/test_table_oddities.py", "tests/hostile/test_hostile_mail.py"),
    ),
    Promise(
        "Native and plain Python cut every Unicode string into the same terms",
        "unicode",
        together(
            says(r"([\d,]+) strings", "{0} strings"),
            rows(r"(?:word|char|char_wb|unicode_words)(?= )", "{0} settings, {1} differences"),
        ),
        ("tests/hostile/test_fuzzed_text.py",),
    ),
    Promise(
        "Chosen words cost at most twice random ones",
        "collisions",
        largest(r"lindy", "{0} times at most"),
        ("tests/hostile/test_collisions.py",),
    ),
    Promise(
        "Decompression, wide tables and long fields cost what their honest size costs",
        tests=("tests/hostile/test_bombs.py", "tests/hostile/test_long_rows.py"),
    ),
    Promise(
        "The service refuses what it must with a code below 500",
        "service",
        says(
            r"([\d,]+) requests.*(?:\n.*)*?\n(\d+) answers of 500", "{0} requests, {1} answers of 500 or more"
        ),
        ("tests/web/test_service_attacks.py", "tests/web/test_service_limits.py"),
    ),
    Promise(
        "Bad invocations: no traceback, a documented exit code, no file changed",
        "commands",
        says(r"([\d,]+) of [\d,]+ bad(?:.*\n)*Broken by (\d+)", "{0} invocations, {1} broken"),
        ("tests/cli/test_bad_input.py",),
    ),
    Promise(
        "Outputs never replace inputs",
        tests=("tests/cli/test_overwriting.py",),
    ),
    Promise(
        "A killed worker changes nothing in the result",
        tests=("tests/distributed/test_processes_engine.py", "tests/distributed/test_dask_engine.py"),
    ),
    Promise(
        "Tests run the code: statements and jumps of Python, lines and branches of the core",
        "coverage",
        together(
            says(r"Python, statements and jumps: ([\d.]+%)", "Python {0}"),
            says(r"core, lines: ([\d.]+%)", "core, lines {0}"),
            says(r"core, branches: ([\d.]+%)", "branches {0}"),
        ),
    ),
    Promise(
        "Tests notice wrong changes of the loader and the readers",
        "mutation",
        says(r"([\d,]+ of [\d,]+ mutants tried were not noticed)", "{0}"),
    ),
]


def overview(sections: dict[str, str]) -> str:
    """Return the table of all promises, with the figures of the sections."""
    head = "| promise | tried by | figure |\n| --- | --- | --- |\n"
    return head + "\n".join(promise.row(sections) for promise in PROMISES) + "\n\n"
