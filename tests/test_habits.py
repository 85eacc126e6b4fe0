"""Recipes, architecture, tour and glossary name what exists; docstrings, comments and imports keep their rules."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import quick

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "lindy"
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
NATIVE = [path for path in sorted((ROOT / "native").rglob("*")) if path.suffix in (".cpp", ".hpp", ".inl")]
RECIPE = re.compile(r"^### (.+)\n\n((?:.+\n)+)", re.MULTILINE)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def found(name: str) -> Any:
    """Return the module, class or function of a dotted name."""
    words = name.split(".")
    for end in range(len(words), 0, -1):
        try:
            module = importlib.import_module(".".join(words[:end]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, words[end:], module)
    raise ModuleNotFoundError(name)


def test_ten_recipes_of_at_most_eight_lines() -> None:
    recipes = dict(RECIPE.findall(read("CONTRIBUTING.md")))
    assert len(recipes) == 10
    lines = {name: text.splitlines() for name, text in recipes.items()}
    assert {name: len(own) for name, own in lines.items() if len(own) > 8} == {}
    assert [line for own in lines.values() for line in own if len(line) > 160] == []


def test_files_that_recipes_name_exist() -> None:
    recipes = "".join(text for _, text in RECIPE.findall(read("CONTRIBUTING.md")))
    named = re.findall(r"`([\w./-]+\.(?:py|hpp|inl|cpp|mjs|md|txt))`", recipes)
    rooms = ("benchmarks", "docs", "native", "src", "tests")
    files = [f"/{path.relative_to(ROOT)}" for room in rooms for path in (ROOT / room).rglob("*.*")]
    unknown = [name for name in named if not any(file.endswith(f"/{name}") for file in files)]
    assert unknown == ["benchmarks/TOPIC.py"]


def test_the_tour_meets_ten_functions_and_all_that_it_names_exists() -> None:
    tour = read("docs/tour.md")
    stops = re.findall(r"^\*\*(\d+)\. `([\w.]+)`\*\*", tour, re.MULTILINE)
    assert [int(number) for number, _ in stops] == list(range(1, 11))
    assert all(callable(found(name)) for _, name in stops)
    for name in re.findall(r"`(lindy\.[\w.]+)`", tour):
        found(name)
    for name in re.findall(r"`((?:native|src)/[\w./]+)`", tour):
        assert (ROOT / name).is_file(), name
    assert "export function markedText(" in read("src/lindy/web/static/highlight.js")


def test_architecture_has_every_room_and_names_what_exists() -> None:
    page = read("docs/architecture.md")
    named = set(re.findall(r"`((?:\w+/)*\w+(?:/|\.(?:py|hpp|inl|cpp|mjs|toml)))`", page)) - {"__init__.py"}
    assert [name for name in named if not any((room / name).exists() for room in (ROOT, PACKAGE))] == []
    files = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    rooms = {f"{file.parent}/" for file in files if file.parts[0] != "labs"} - {"./"}
    alone = {str(file) for file in files if len(file.parts) == 1} - {"__init__.py", "__main__.py", "bags.py"}
    assert rooms - {"data/"} | {"labs/"} | alone <= named


def test_architecture_has_the_layers_of_imports() -> None:
    contracts = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = ["    " + layer.replace(" : ", ", ") for layer in contracts[0]["layers"]]
    assert "\n\n" + "\n".join(layers) + "\n\n" in read("docs/architecture.md")


def test_the_glossary_is_sorted_and_names_modules() -> None:
    entries = re.findall(
        r"^\| ([\w -]+) \| .+ \| `(lindy[\w.]+)` \|$", read("docs/glossary.md"), re.MULTILINE
    )
    words = [word for word, _ in entries]
    assert len(words) >= 20
    assert words == sorted(words)
    for _, module in entries:
        importlib.import_module(module)


def test_docstrings_say_what_a_thing_is() -> None:
    asked = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.lstrip().startswith('"""What ')
    ]
    assert asked == []


@pytest.mark.parametrize("path", NATIVE, ids=lambda path: str(path.relative_to(ROOT / "native")))
def test_files_that_native_comments_name_exist(path: Path) -> None:
    comments = re.findall(r"//(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    named = [name for line in comments for name in re.findall(r"[\w/]+\.(?:hpp|inl|cpp|py)\b", line)]
    files = [f"/{file.relative_to(ROOT)}" for file in [*SOURCES, *NATIVE, *(ROOT / "native").rglob("*.py")]]
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


def test_tests_import_what_they_share_by_its_whole_name() -> None:
    own = {path.stem for path in TESTS} - {"__init__"}
    short = [
        f"{path.relative_to(ROOT)}:{node.lineno}: write `from tests.… import`"
        for path in TESTS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and (node.level or (node.module or "") in own))
        or (isinstance(node, ast.Import) and any(alias.name in own for alias in node.names))
    ]
    assert short == []


def test_tests_pass_sizes_and_times_instead_of_patching_constants() -> None:
    sizes = "AT_ONCE BATCH_BYTES BLOCK CHUNK IN_MEMORY LARGE LEAST LEAST_PART MANY_BYTES PART PER_BYTE ROW_GROUP _LARGE"
    others = "EVERY SHARE IS_POSIX _MOST _MOST_COLUMNS _MOST_ROWS"
    folders = "HERE RECORDS ROOT"  # of the tests' own tools
    patched = {
        str(word.value).rpartition(".")[2]
        for path in TESTS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr"
        for word in node.args[:2]
        if isinstance(word, ast.Constant) and isinstance(word.value, str)
    }
    constants = {name for name in patched if name.isupper()}
    assert constants <= {
        *sizes.split(),
        *others.split(),
        *folders.split(),
    }  # parameters instead of more of them


def test_pull_requests_run_what_every_machine_can_run() -> None:
    workflow = yaml.load(read(".github/workflows/checks.yml"), yaml.BaseLoader)
    assert "pull_request" in workflow["on"]
    steps = workflow["jobs"]["checks"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == [".ci/run"]


def test_hooks_run_the_tools_of_make_check() -> None:
    (local,) = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert local["repo"] == "local"
    tools = {hook["entry"].split()[0] for hook in local["hooks"]}
    assert tools == {".venv/bin/ruff", ".venv/bin/clang-format", ".venv/bin/codespell"}
    checked = read("Makefile").partition("\ncheck:")[2].partition("\nformat:")[0]
    for hook in local["hooks"]:
        command = hook["entry"].removeprefix(".venv/bin/").removesuffix(" --force-exclude")
        assert f"$(BIN)/{command}" in checked


def test_quick_begins_with_what_has_most_to_do_with_a_change() -> None:
    files = quick.related_tests(["src/lindy/linear/losses.py", "tests/text/test_count.py"])
    assert files[0] == "tests/text/test_count.py"
    assert files.index("tests/linear/test_dual.py") < files.index("tests/linear/test_mira.py")
    assert not any(file.startswith("tests/cli/") for file in files)
    assert quick.related_tests(["native/text/catalog.hpp"])[0] == "tests/text/test_catalog.py"
    assert "tests/native" in {str(Path(file).parent) for file in quick.related_tests(["native/core/csr.hpp"])}
    assert quick.related_tests(["tests/chromium.py"])
    assert quick.related_tests(["LICENSE"]) == []


def test_quick_compares_with_where_the_branch_left_main(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        settings = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *settings, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    (tmp_path / "a.py").write_text("1")
    git("add", "-A")
    git("commit", "-m", "first")
    assert quick.changed_files(tmp_path) == []
    git("checkout", "-b", "work")
    (tmp_path / "b.py").write_text("1")
    git("add", "-A")
    git("commit", "-m", "second")
    (tmp_path / "a.py").write_text("2")
    (tmp_path / "c.py").write_text("1")
    assert quick.changed_files(tmp_path) == ["a.py", "b.py", "c.py"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["images", "--seconds", "0"], 0, "the time of `make quick` is over"),
        (["kitchen"], 2, "no tests of kitchen: rooms with tests are accel, baselines"),
    ],
)
def test_quick_says_what_is_left_out(
    arguments: list[str], code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)  # where nothing may be left out
    command = [sys.executable, "-m", "tests.quick", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
