"""``lindy train`` on tables that are larger than the memory it is given: the same models, byte for byte."""

from __future__ import annotations

import errno
import gzip
import json
import os
import sys
import time

import numpy as np
import pytest
from tests.stream.stream_helpers import failed, interrupted_cache, rows, shrink, trained, write_csv

import lindy.cli.io.large
import lindy.data.chunks.chunks
import lindy.data.chunks.delimited_parts
import lindy.data.chunks.spill
import lindy.text.analysis.documents
from lindy import TextClassifier, _native, load
from lindy.cli.app import run
from lindy.stream import workspace as workspaces

OPTIONS = [
    ("naive-bayes", "--ngrams", "1-2"),
    ("bernoulli-naive-bayes",),
    ("svm", "--ngrams", "1-2"),
    ("svm", "--ngrams", "2", "--min-df", "2", "--max-features", "300"),
    ("svm", "--ngrams", "1-2", "--min-count", "3", "--weighting", "bm25"),
    ("svm", "--chars", "2-4"),
    ("svm", "--ngrams", "1", "--chars", "2-3", "--select", "chi2:200"),
    ("maxent", "--ngrams", "1-2"),
    ("maxent", "--weighting", "counts", "--param", "penalty=l1"),
    ("nb-svm", "--ngrams", "1-2"),
    ("perceptron", "--ngrams", "1-2"),
    ("mira", "--weighting", "log-count-ratio"),
    ("naive-bayes", "--hash", "256"),
    ("svm", "--hash", "256", "--ngrams", "1-2"),
    ("perceptron", "--hash", "256", "--param", "epochs=1", "--param", "shuffle=False", "--calibrate", "none"),
    ("auto", "--fast"),
    ("auto", "--metric", "macro-f1"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_model_is_the_same(options, tmp_path, monkeypatch):
    data = write_csv(tmp_path / "t.csv", rows())
    name, *others = options
    args = [data, "--learner", name, *others]
    whole = trained(tmp_path / "whole.lindy", *args)
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 10**9)
    for part in (2000, 9000):
        with monkeypatch.context() as smaller:
            shrink(smaller, part)
            assert trained(tmp_path / "parts.lindy", *args) == whole
    assert not (tmp_path / "parts.lindy.cache").exists()


WEIGHTED = [
    ("naive-bayes", "--ngrams", "1-2", "--calibrate", "none"),
    ("perceptron", "--weighting", "bm25", "--calibrate", "none"),
    ("mira", "--weighting", "log-count-ratio", "--min-df", "3", "--calibrate", "none"),
    ("perceptron", "--ngrams", "1-2", "--max-features", "200", "--calibrate", "none"),
]


@pytest.mark.parametrize("options", WEIGHTED, ids=" ".join)
def test_weighted_rows_are_repeated_rows_in_parts(options, tmp_path, monkeypatch):
    table = [(label, text, str(i % 4)) for i, (label, text) in enumerate(rows(600))]
    lines = [f"{label},{text},{times}\n" for label, text, times in table]
    (tmp_path / "weighted.csv").write_text("label,text,times\n" + "".join(lines), encoding="utf-8")
    repeated = [(label, text) for label, text, times in table for _ in range(int(times))]
    name, *others = options
    plain = [write_csv(tmp_path / "repeated.csv", repeated), "--learner", name, *others]
    args = [tmp_path / "weighted.csv", "--weight", "times", "--learner", name, *others]
    whole = trained(tmp_path / "whole.lindy", *args)
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 10**9)
    shrink(monkeypatch, 3000)
    assert trained(tmp_path / "parts.lindy", *args) == whole
    trained(tmp_path / "plain.lindy", *plain)
    parts, others = (TextClassifier.load(tmp_path / f"{own}.lindy") for own in ("parts", "plain"))
    assert (
        parts.vectorizer_.get_feature_names_out().tolist()
        == others.vectorizer_.get_feature_names_out().tolist()
    )
    assert parts.class_counts_.tolist() == others.class_counts_.tolist()
    texts = [text for _, text, _ in table]
    assert np.allclose(parts.decision_function(texts), others.decision_function(texts), rtol=1e-9, atol=1e-9)


def test_all_formats_and_several_files_are_read(small, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    table = rows(300)
    whole = write_csv(tmp_path / "t.csv", table)
    args = ["--learner", "svm", "--ngrams", "1-2", "--text", "text", "--label", "label"]
    expected = trained(tmp_path / "m.lindy", whole, *args)
    labels, texts = zip(*table, strict=True)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(whole.read_bytes()))
    (tmp_path / "t.tsv").write_text(whole.read_text("utf-8").replace(",", "\t"), "utf-8")
    lines = [json.dumps({"label": label, "text": text}) for label, text in table]
    (tmp_path / "t.jsonl").write_text("\n".join(lines), "utf-8")
    pa.parquet.write_table(
        pa.table({"label": labels, "text": texts}), tmp_path / "t.parquet", row_group_size=40
    )
    write_csv(tmp_path / "a.csv", table[:120])
    write_csv(tmp_path / "b.csv", table[120:])
    for name in ("t.csv.gz", "t.tsv", "t.jsonl", "t.parquet"):
        assert trained(tmp_path / "m.lindy", tmp_path / name, *args) == expected, name
    one, several = load(tmp_path / "m.lindy"), tmp_path / "several.lindy"
    trained(several, tmp_path / "a.csv", tmp_path / "b.csv", *args)
    both = load(several)
    assert len(both.seen_["training"]) == 2  # each file by itself, and nothing else is different
    both.seen_ = one.seen_
    both.save(several)
    assert several.read_bytes() == expected


def test_several_files_are_remembered_one_by_one_in_memory_and_on_disk(tmp_path, monkeypatch):
    table = rows(300)
    paths = [write_csv(tmp_path / "a.csv", table[:120]), write_csv(tmp_path / "b.csv", table[120:])]
    expected = trained(tmp_path / "m.lindy", *paths, "--learner", "naive-bayes")
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 10**9)
    shrink(monkeypatch, 5000)
    assert trained(tmp_path / "m.lindy", *paths, "--learner", "naive-bayes") == expected
    model = load(tmp_path / "m.lindy")
    for part in (table[:120], table[120:]):
        labels, texts = map(list, zip(*part, strict=True))
        assert model.roles_of(texts, labels) == ["training"]


def test_columns_are_found_in_as_many_rows(small, tmp_path, monkeypatch):
    lines = [
        f"{'ab'[i % 2] if i < 200 else i},{label},{text}\n" for i, (label, text) in enumerate(rows())
    ]  # the first column looks like labels in the first part
    data = tmp_path / "t.csv"
    data.write_text("".join(["p,q,r\n", *lines]), "utf-8")
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 4)
    in_files = trained(tmp_path / "a.lindy", data, "--learner", "svm")
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 0)
    assert trained(tmp_path / "b.lindy", data, "--learner", "svm") == in_files


def test_standard_input_goes_to_files(small, tmp_path, monkeypatch):
    data = write_csv(tmp_path / "t.csv", rows(300))
    expected = trained(tmp_path / "m.lindy", data, "--learner", "svm")
    with open(data, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert trained(tmp_path / "m.lindy", "-", "--learner", "svm") == expected


def test_blank_labels_missing_texts_and_weights(small, tmp_path, monkeypatch, capsys):
    table = [{"label": label, "text": text, "w": i % 3 + 1} for i, (label, text) in enumerate(rows(300))]
    table[40]["label"], table[50]["label"], table[60]["label"] = " ", None, " good "
    data = tmp_path / "t.jsonl"
    data.write_text("\n".join(map(json.dumps, table)), "utf-8")
    args = [data, "--learner", "maxent", "--weight", "w"]
    in_files = trained(tmp_path / "a.lindy", *args)
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 0)
    assert trained(tmp_path / "b.lindy", *args) == in_files
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 10**9)
    table[250]["text"] = None
    data.write_text("\n".join(map(json.dumps, table)), "utf-8")
    capsys.readouterr()
    assert run(["train", *map(str, args), "-o", str(tmp_path / "a.lindy")]) == 1
    assert "line 251: no text" in capsys.readouterr().err
    assert (tmp_path / "a.lindy").read_bytes() == in_files


def test_hashed_words_that_cannot_be_are_refused_before_reading(tmp_path, capsys):
    missing = str(tmp_path / "not there.csv")
    assert run(["train", missing, "--hash", "64", "--min-df", "2"]) == 2
    assert "--min-df: it needs a vocabulary" in capsys.readouterr().err


def test_a_folder_of_somebody_else_is_left_alone(small, tmp_path, capsys):
    data = write_csv(tmp_path / "t.csv", rows(100))
    own = tmp_path / "own"
    own.mkdir()
    (own / "letters.txt").write_text("dear")
    said = failed(capsys, "train", data, "-o", tmp_path / "m.lindy", "--cache", own)
    assert "the folder is not empty, and not a cache of lindy" in said
    assert (own / "letters.txt").read_text() == "dear"


def test_a_cache_needs_locks(small, tmp_path, capsys, monkeypatch):
    """As some network drives have none; nobody else uses the cache there, as far as can be known."""
    fcntl = pytest.importorskip("fcntl")

    def none(_number, _how):
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    data, cache = write_csv(tmp_path / "t.csv", rows(100)), tmp_path / "cache"
    monkeypatch.setattr(fcntl, "flock", none)
    said = failed(capsys, "train", data, "-o", tmp_path / "m.lindy", "--cache", cache)
    assert "this file system has no locks" in said
    assert "hint:  Name a folder on a disk of this machine with --cache." in said
    assert not cache.exists()


def test_two_processes_do_not_share_a_cache(small, tmp_path, capsys):
    from lindy.stream.workspace import Workspace

    data = write_csv(tmp_path / "t.csv", rows(100))
    with Workspace(str(tmp_path / "cache")):
        said = failed(capsys, "train", data, "-o", tmp_path / "m.lindy", "--cache", tmp_path / "cache")
    assert "another process is using this cache" in said


def test_a_file_that_changes_while_it_is_read(small, tmp_path, monkeypatch, capsys):
    data = write_csv(tmp_path / "t.csv", rows())
    (tmp_path / "m.lindy").write_bytes(old := trained(tmp_path / "m.lindy", data, "--learner", "svm"))
    write, changed = lindy.data.chunks.spill._Spill._write, []

    def meddling(spill, part, number):
        if not changed:
            time.sleep(0.02)
            os.utime(data)
            changed.append(part)
        write(spill, part, number)

    monkeypatch.setattr(lindy.data.chunks.spill._Spill, "_write", meddling)
    said = failed(capsys, "train", data, "-o", tmp_path / "m.lindy", "--learner", "svm")
    assert f"{data}: the file changed while it was read" in said
    assert (tmp_path / "m.lindy").read_bytes() == old


def test_a_broken_row_far_down_is_named(small, tmp_path, capsys):
    table = rows()
    lines = write_csv(tmp_path / "t.csv", table).read_text("utf-8").splitlines(keepends=True)
    lines[801] = "good,one,too many\n"
    data = tmp_path / "t.csv"
    data.write_text("".join(lines), "utf-8")
    train = ["train", data, "-o", tmp_path / "m.lindy", "--learner", "svm"]
    assert f"{data}, line 802" in failed(capsys, *train)
    assert not (tmp_path / "m.lindy.cache").exists()
    assert run([*map(str, train), "--skip-bad", "1"]) == 0
    assert "left out" in (said := capsys.readouterr().err)
    assert "line 802" in said


def test_a_truncated_gzip_is_an_error(small, tmp_path, capsys):
    packed = gzip.compress(write_csv(tmp_path / "t.csv", rows()).read_bytes())
    data = tmp_path / "t.csv.gz"
    data.write_bytes(packed[: len(packed) // 2])
    said = failed(capsys, "train", data, "-o", tmp_path / "m.lindy", "--learner", "svm")
    assert str(data) in said
    assert not (tmp_path / "m.lindy").exists()


def test_a_full_disk_promises_nothing_for_a_pipe(small, tmp_path, monkeypatch, capsys):
    from lindy.stream.mapped_arrays import no_room
    from lindy.stream.stages import Stage

    data = write_csv(tmp_path / "t.csv", rows())

    def full(stage, *_):
        raise no_room(stage.folder)

    monkeypatch.setattr(Stage, "append", full)
    with open(data, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        said = failed(capsys, "train", "-", "-o", tmp_path / "m.lindy", "--learner", "svm")
    assert "there is no room on the disk" in said
    assert "give the input again from its beginning" in said
    assert "--resume" not in said


def test_work_that_is_thrown_away_and_memory_that_is_not_enough_are_said(
    small, tmp_path, monkeypatch, capsys
):
    data = write_csv(tmp_path / "t.csv", rows())
    interrupted_cache(tmp_path, monkeypatch, data)
    capsys.readouterr()
    command = ["train", str(data), "--learner", "svm", "-o", str(tmp_path / "m.lindy"), "--force"]
    assert run([*command, "--memory", "1000"]) == 0
    said = capsys.readouterr().err
    assert "m.lindy.cache held the work of a command that was interrupted, which is removed now" in said
    assert "--memory 1,000 bytes: " in said
    assert run([*command, "--memory", "200000"]) == 0
    said = capsys.readouterr().err
    assert "interrupted" not in said
    assert "--memory" not in said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_named_when_a_part_is_written(tmp_path):
    from lindy.stream.mapped_arrays import NoRoomError

    workspace = workspaces.Workspace(str(tmp_path / "cache"))
    stage = workspace.stage("rows", {})
    os.symlink("/dev/full", os.path.join(stage.folder, "data"))
    with pytest.raises(NoRoomError), workspace:
        stage.append("data", b"what cannot be written")


def test_small_tables_stay_in_memory(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(workspaces.Workspace, "__init__", lambda *_args, **_more: made.append(1))
    trained(tmp_path / "m.lindy", write_csv(tmp_path / "t.csv", rows(100)), "--learner", "svm")
    assert not made


def test_no_more_than_a_file_has_is_mapped(tmp_path):
    (tmp_path / "short").write_bytes(b"0123456789")
    with (
        (tmp_path / "short").open("r+b") as file,
        pytest.raises(ValueError, match="so many bytes in the file"),
    ):
        _native.map_file(file.fileno(), 11)
