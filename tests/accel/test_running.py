"""``python -m lindy.accel`` runs scripts as Python does, in worker processes, too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """\
import sys
from sklearn.feature_extraction.text import CountVectorizer

texts = ["the cat sat on the mat, %d times" % i for i in range(20000)]
print(sys.argv, __name__, CountVectorizer().fit_transform(texts).shape)
if __name__ == "__main__" and "fail" in sys.argv:
    sys.exit(7)
"""

WORKERS = """\
from joblib import Parallel, delayed
from sklearn.feature_extraction.text import CountVectorizer

def count(n):
    return CountVectorizer().fit_transform(["the cat sat on the mat, %d times" % i for i in range(n)]).sum()

if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(count)(n) for n in (20000, 20001)))
"""


def run(
    folder: Path, *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lindy.accel", *arguments]
    env = os.environ | (environment or {})
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=env)


def test_a_script_gets_its_arguments_and_gives_its_exit_status(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(SCRIPT)
    done = run(tmp_path, "--profile", "count.py", "--option", "fail")
    assert done.stdout == "['count.py', '--option', 'fail'] __main__ (20000, 19996)\n"
    assert done.returncode == 7
    assert "CountVectorizer.fit_transform        lindy              1" in done.stderr
    plain = subprocess.run(
        [sys.executable, "count.py", "--option", "fail"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (plain.stdout, plain.returncode) == (done.stdout, done.returncode)


def test_a_module_is_run_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(SCRIPT)
    done = run(tmp_path, "-m", "count", "x")
    assert "count.py', 'x'] __main__ (20000, 19996)" in done.stdout
    assert done.stderr == ""


def test_mistakes_are_said(tmp_path: Path) -> None:
    for arguments, message in (
        ([], "error: a script or -m module is missing"),
        (["nowhere.py"], "error: there is no script 'nowhere.py'"),
        (["--what", "x.py"], "error: unknown option '--what'"),
    ):
        done = run(tmp_path, *arguments)
        assert done.returncode == 1
        assert message in done.stderr
    assert run(tmp_path, "--help").stdout.startswith("usage: python -m lindy.accel")


def test_worker_processes_are_accelerated_and_profiled(tmp_path: Path) -> None:
    (tmp_path / "workers.py").write_text(WORKERS)
    (tmp_path / "sitecustomize.py").write_text(
        "import os\nos.environ['OWN'] = os.environ.get('OWN', '') + 'x'\n"
    )
    done = run(tmp_path, "--profile", "workers.py", environment={"PYTHONPATH": str(tmp_path)})
    assert done.stdout.strip() == "[np.int64(159990), np.int64(159998)]", done.stderr
    assert "CountVectorizer.fit_transform        lindy              2" in done.stderr
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    plain = subprocess.run(
        [sys.executable, "workers.py"], capture_output=True, text=True, check=True, cwd=tmp_path, env=env
    )
    assert plain.stdout == done.stdout


def test_little_work_is_not_worth_loading_the_core(tmp_path: Path) -> None:
    (tmp_path / "little.py").write_text(SCRIPT.replace("20000", "20"))
    code = "\nassert not {'lindy.text', 'lindy._native'} & set(sys.modules)\n"
    with (tmp_path / "little.py").open("a") as file:
        file.write(code)
    done = run(tmp_path, "--profile", "little.py")
    assert done.returncode == 0, done.stderr
    assert "little to do: loading lindy would take longer" in done.stderr


def test_another_version_of_scikit_learn_runs_as_it_is_and_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(
        "import sklearn\nsklearn.__version__ = '1.1.0'\n" + SCRIPT + "from sklearn.svm import LinearSVC\n"
    )
    done = run(tmp_path, "--profile", "count.py")
    assert "(20000, 19996)" in done.stdout
    assert done.stderr.count("accelerates scikit-learn 1.9; version 1.1.0 runs as it is") == 1
    assert "no call of scikit-learn that could be accelerated" in done.stderr


def test_a_notebook_loads_the_extension() -> None:
    code = """
import os
from IPython.core.interactiveshell import InteractiveShell
import lindy.accel
shell = InteractiveShell.instance()
before = os.environ.get("PYTHONPATH")
shell.run_line_magic("load_ext", "lindy.accel")
assert lindy.accel.is_installed() and os.environ["LINDY_ACCEL"] == "1"
shell.run_line_magic("unload_ext", "lindy.accel")
assert not lindy.accel.is_installed() and "LINDY_ACCEL" not in os.environ
assert os.environ.get("PYTHONPATH") == before
"""
    subprocess.run([sys.executable, "-c", code], check=True)
