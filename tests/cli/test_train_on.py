"""``lindy train --on``: files as partitions."""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lindy import TextClassifier
from tests.partitioned import corpus, cut


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three files of a corpus, of two formats."""
    made = []
    for number, part in cut(corpus(rows=150), 3):
        made.append(tmp_path / f"part-{number}.parquet")
        pq.write_table(part, made[-1])
    made[1].unlink()
    made[1] = tmp_path / "part-1.csv"
    made[1].write_text(cut(corpus(rows=150), 3)[1][1].to_pandas().to_csv(index=False), encoding="utf-8")
    return made


def test_files_are_partitions_and_the_model_works_anywhere(lindy, files: list[Path], tmp_path: Path) -> None:
    model = tmp_path / "model.lindy"
    for workers, name in ((1, "one"), (2, "two")):
        done = lindy(
            "train",
            *files,
            "-o",
            tmp_path / name,
            "--learner",
            "svm",
            "--on",
            "processes",
            "--workers",
            workers,
        )
        assert done.code == 0, done.err
        assert "3 partitions on processes" in done.err
        assert "trained svm on 150 texts, 2 classes" in done.err
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    done = lindy(
        "train",
        *files,
        "-o",
        model,
        "--on",
        "processes",
        "--text",
        "text",
        "--label",
        "label",
        "--json",
        "-q",
    )
    assert done.code == 0
    assert '"examples": 150' in done.out
    assert not list(tmp_path.glob("*.checkpoint"))
    assert TextClassifier.load(model).columns_ == {"text": "text", "label": "label", "text_is": "plain"}
    assert lindy("predict", model, files[0]).code == 0


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (
            {"text": ["good", None], "label": ["x", "y"]},
            "bad.parquet, row 2: no text: 'text' is null or missing",
        ),
        ({"texts": ["good", "bad"], "label": ["x", "y"]}, "bad.parquet: no column 'text'"),
        ({"text": ["good", "bad"]}, "bad.parquet: no column 'label'"),
    ],
)
def test_bad_files_are_named(lindy, files: list[Path], tmp_path: Path, columns, says: str) -> None:
    pq.write_table(pa.table(columns), tmp_path / "bad.parquet")
    done = lindy("train", *files, tmp_path / "bad.parquet", "-o", tmp_path / "m", "--on", "processes")
    assert done.code != 0
    assert says in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--on", "nowhere"], "no engine is called 'nowhere'"),
        (["--on", "tcp://127.0.0.1:1"], "no Dask scheduler answers at tcp://127.0.0.1:1"),
        (["--workers", "2"], "--workers: it has no effect without --on"),
        (["--on", "processes", "--report", "r.html"], "--report: not with --on"),
        (["--on", "processes", "--memory", "1GB"], "--memory: not with --on"),
        (["--on", "processes", "--format", "mail"], "mail has no partitions"),
        (["--on", "processes", "--merge-labels", "case"], "'case' needs all labels in one place"),
        (["--on", "processes", "--text", "text", "--text", "title"], "only one text column with --on"),
        (["--on", "processes", "--learner", "kernel-svm"], "cannot be fitted to partitions"),
    ],
)
@pytest.mark.filterwarnings("default::ResourceWarning")  # of Dask, when nobody answers
def test_options_that_cannot_be_used(
    lindy, files: list[Path], tmp_path: Path, words: list[str], says: str
) -> None:
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        done = lindy("train", *files, "-o", tmp_path / "m", *words)
    assert done.code != 0
    assert says in done.err
    assert not (tmp_path / "m").exists()


def test_several_labels_of_files_are_learned(lindy, tmp_path: Path) -> None:
    chosen = [[f"l{k}" for k in range(6) if i >> k & 1] for i in range(64)] * 3
    texts = [f"text about {' '.join(own)}" for own in chosen]
    for half, name in ((slice(0, 90), "a"), (slice(90, 192), "b")):
        cells = ["|".join(own) for own in chosen[half]]
        pq.write_table(pa.table({"text": texts[half], "label": cells}), tmp_path / f"joined-{name}.parquet")
        lists = pa.table({"text": texts[half], "label": chosen[half]})
        pq.write_table(lists, tmp_path / f"lists-{name}.parquet")
        lines = [
            f"{' '.join(f'__label__{tag}' for tag in own)} {text}"
            for own, text in zip(chosen, texts, strict=True)
        ]
        (tmp_path / f"lines-{name}.ft").write_text("\n".join(lines[half]) + "\n")
    for kind in ("joined", "lists", "lines"):
        paths = [*tmp_path.glob(f"{kind}-*")]
        done = lindy("train", *paths, "-o", tmp_path / "m", "--on", "processes", "--learner", "svm")
        assert done.code == 0, done.err
        assert ("joined by '|'" in done.err) == (kind == "joined")
        assert "trained svm on 192 texts, 6 classes" in done.err
        done = lindy("evaluate", tmp_path / "m", *paths, "--json")
        assert json.loads(done.out)["micro_f1"] == 1.0
        assert json.loads(done.out)["labelled_examples"] == 189
    paths = [tmp_path / f"joined-{name}.parquet" for name in "ab"]
    options = ("--label-separator", "none", "--learner", "naive-bayes")
    done = lindy("train", *paths, "-o", tmp_path / "m", "--on", "processes", *options)
    assert done.code == 0, done.err
    assert "63 classes" in done.err
    assert done.err.index("each combination is a class of its own") < done.err.index("trained")


def test_a_later_file_whose_labels_look_joined_is_refused(lindy, tmp_path: Path) -> None:
    chosen = [[f"l{k}" for k in range(6) if i >> k & 1] or ["l0"] for i in range(64)]
    tables = {"a.csv": [[f"l{i % 6}"] for i in range(8)], "b.csv": chosen}
    for name, own in tables.items():
        lines = "".join(f"{'|'.join(tags)},about {' '.join(tags)}\n" for tags in own)
        (tmp_path / name).write_text("label,text\n" + lines)
    words = ("train", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / "m", "--on", "processes")
    done = lindy(*words)
    assert done.code == 1
    assert "joined by '|', but not those of the first file" in done.err
    assert "--label-separator" in done.err
    assert lindy(*words, "--label-separator", "|", "--learner", "svm").code == 0


@pytest.mark.parametrize(
    ("place", "package", "says"),
    [
        ("tcp://127.0.0.1:1", "distributed", "Dask is not installed"),
        ("sc://127.0.0.1:1", "pyspark.sql", "PySpark is not installed"),
    ],
)
def test_a_missing_package_is_named_before_anything_is_waited_for(
    lindy, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place, package, says
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # which is how Python marks what cannot be imported
    done = lindy("train", *files, "-o", tmp_path / "m", "--on", place)
    assert done.code != 0
    assert says in done.err
    assert "pip install 'lindy[" in done.err
    assert "waiting" not in done.err


def test_a_checkpoint_of_something_else_is_refused(lindy, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "m.checkpoint").write_text("nothing", encoding="utf-8")
    done = lindy(
        "train", *files, "-o", tmp_path / "m", "--learner", "maxent", "--on", "processes", "--resume"
    )
    assert done.code != 0
    assert "m.checkpoint: not a checkpoint" in done.err


def test_files_without_rows_and_folders_of_files_are_fine(lindy, files: list[Path], tmp_path: Path) -> None:
    options = ("--learner", "naive-bayes", "--on", "processes", "--workers", "2")
    header = tmp_path / "part-0.csv"
    header.write_text("text,label\n")
    (tmp_path / "part-9.csv").touch()
    assert lindy("train", *files, *options, "-o", tmp_path / "full").code == 0
    done = lindy("train", header, *files, tmp_path / "part-9.csv", *options, "-o", tmp_path / "some")
    assert done.code == 0, done.err
    assert (tmp_path / "some").read_bytes() == (tmp_path / "full").read_bytes()
    folder = tmp_path / "folder"
    for number, file in enumerate((files[0], files[2])):
        folder.mkdir(exist_ok=True)
        file.rename(folder / f"{number}.parquet")
    (folder / "_SUCCESS").touch()
    assert "2 partitions on processes" in lindy("train", folder, *options, "-o", tmp_path / "some").err
    (folder / "year=2024").mkdir()
    (folder / "1.parquet").rename(folder / "year=2024" / "1.parquet")
    assert "names are columns" in lindy("train", folder, *options, "-o", tmp_path / "some").err
    assert (
        "all partitions are empty"
        in lindy("train", header, *options, "--text", "text", "--label", "label", "-o", tmp_path / "none").err
    )
