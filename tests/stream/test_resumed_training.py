"""``lindy train --resume`` on large tables: the same model, and no work that was done is done again."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading

import pytest
from tests.stream.stream_helpers import (
    FORMATS,
    Interrupted,
    failed,
    interrupted_cache,
    rows,
    trained,
    write_csv,
)

import lindy.cli.io.large
import lindy.data.chunks.arriving
import lindy.data.chunks.row_chunker
from lindy.cli.app import run
from lindy.data.chunks.chunks import Chunks
from lindy.data.chunks.source import Stream
from lindy.stream.stages import Stage


@pytest.mark.parametrize("number", [2, 6], ids=["while it is read", "later"])
def test_standard_input_is_resumed_as_a_whole(number, small, tmp_path, monkeypatch, capsys):
    data, other = write_csv(tmp_path / "t.csv", rows(400)), write_csv(tmp_path / "o.csv", rows(500, seed=1))
    train = ["-", "--learner", "svm", "-o", str(tmp_path / "m.lindy")]
    with monkeypatch.context() as interrupting, open(data, encoding="utf-8") as stream:
        interrupting.setattr(sys, "stdin", stream)
        interrupting.setattr(lindy.data.chunks.arriving, "_MOST", 15000)
        Interrupted(interrupting, number, torn=False)
        assert run(["train", *train]) == 130
    said = capsys.readouterr().err
    assert ("standard input was not read to its end: give it again" in said) == (number == 2)
    assert ("--resume goes on" in said) == (number != 2)
    used = other if number == 2 else data
    expected = trained(tmp_path / "whole.lindy", used, "--learner", "svm")
    capsys.readouterr()
    with monkeypatch.context() as resuming, open(other, encoding="utf-8") as stream:
        resuming.setattr(sys, "stdin", stream)
        resuming.setattr(lindy.data.chunks.arriving, "_MOST", 9000)
        assert run(["train", *train, "--resume"]) == 0
    assert ("standard input is not read" in capsys.readouterr().err) == (number != 2)
    assert (tmp_path / "m.lindy").read_bytes() == expected


@pytest.mark.parametrize("torn", [False, True], ids=["between parts", "within a part"])
@pytest.mark.parametrize("number", [1, 2, 5, 9, 14])
def test_resumed_work_ends_in_the_same_model(number, torn, small, tmp_path, monkeypatch, capsys):
    data = write_csv(tmp_path / "t.csv", rows())
    args = [data, "--learner", "svm", "--ngrams", "1-2", "--min-df", "2"]
    expected = trained(tmp_path / "whole.lindy", *args)
    with monkeypatch.context() as interrupting:
        work = Interrupted(interrupting, number, torn)
        assert run(["train", *map(str, args), "-o", str(tmp_path / "m.lindy")]) == 130
        assert work.commits == number
    assert "the same command with --resume goes on" in capsys.readouterr().err
    assert not (tmp_path / "m.lindy").exists()
    with monkeypatch.context() as counting:
        after = Interrupted(counting, -1, torn=False)
        assert trained(tmp_path / "m.lindy", *args, "--resume") == expected
    with monkeypatch.context() as counting:
        again = Interrupted(counting, -1, torn=False)
        trained(tmp_path / "m.lindy", *args)
    assert after.commits == again.commits - (number - 1)
    assert not (tmp_path / "m.lindy.cache").exists()


KILLED = """
import os, sys
import lindy.cli.io.large, lindy.text.analysis.documents
from lindy.stream import stages, workspace
lindy.cli.io.large.PER_BYTE, lindy.cli.io.large.PART = 10**9, 15000
workspace.LEAST, workspace.LEAST_PART, lindy.text.analysis.documents.BATCH_BYTES = 5000 << 5, 5000, 5000 // 3
commit, done = stages.Stage.commit, []
def killed(stage, **facts):
    commit(stage, **facts)
    done.append(1)
    if len(done) == int(sys.argv[1]):
        os.kill(os.getpid(), 9)
stages.Stage.commit = killed
from lindy.cli.app import run
sys.exit(run(sys.argv[2:]))
"""


def test_a_killed_process_is_resumed(tmp_path, small):
    data = write_csv(tmp_path / "t.csv", rows())
    args = [str(data), "--learner", "naive-bayes", "--ngrams", "1-2", "--memory", "160000"]
    expected = trained(tmp_path / "whole.lindy", *args)
    target = tmp_path / "m.lindy"
    for number in ("3", "5"):
        command = [
            sys.executable,
            "-c",
            KILLED,
            number,
            "train",
            *args,
            "-o",
            str(target),
            "--resume",
            "--quiet",
        ]
        assert subprocess.run(command, check=False).returncode == -9
    assert trained(target, *args, "--resume") == expected


def test_a_damaged_cache_is_not_believed(small, tmp_path, monkeypatch):
    data = write_csv(tmp_path / "t.csv", rows())
    args = [data, "--learner", "svm"]
    expected = trained(tmp_path / "whole.lindy", *args)
    with monkeypatch.context() as interrupting:
        Interrupted(interrupting, 12, torn=False)
        assert run(["train", *map(str, args), "-o", str(tmp_path / "m.lindy"), "--quiet"]) == 130
    damaged = 0
    for file in sorted((tmp_path / "m.lindy.cache").glob("*-*/*")):
        if file.name != "journal" and file.stat().st_size > 2000:
            with open(file, "r+b") as stream:
                stream.seek(1500)
                stream.write(b"\xff\xfe\xfd")
            damaged += 1
    assert damaged > 2
    assert trained(tmp_path / "m.lindy", *args, "--resume") == expected


@pytest.mark.parametrize("kind", FORMATS)
def test_work_on_another_input_is_not_resumed(kind, small, tmp_path, monkeypatch, capsys):
    data = FORMATS[kind](tmp_path / f"t.{kind}", rows())
    interrupted_cache(tmp_path, monkeypatch, data)
    resume = ["train", data, "-o", tmp_path / "m.lindy", "--resume", "--learner"]
    assert "the work that was interrupted is another one: learner was 'svm', and is now 'mira'" in failed(
        capsys, *resume, "mira"
    )
    FORMATS[kind](data, rows(seed=1))
    assert f"the file {data} was" in failed(capsys, *resume, "svm")
    mark = tmp_path / "m.lindy.cache" / "lindy-cache.json"
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"format": 0}))
    assert "a cache of another version of lindy" in failed(capsys, *resume, "svm")
    trained(tmp_path / "m.lindy", data, "--learner", "svm")  # without --resume it begins anew


def test_a_full_disk_is_an_error_and_can_be_resumed(small, tmp_path, monkeypatch, capsys):
    import errno

    data = write_csv(tmp_path / "t.csv", rows())
    expected = trained(tmp_path / "whole.lindy", data, "--learner", "svm")
    with monkeypatch.context() as full:

        def no_room(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        full.setattr(os, "posix_fallocate", no_room)
        said = failed(capsys, "train", data, "-o", tmp_path / "m.lindy", "--learner", "svm")
    assert "there is no room on the disk" in said
    assert trained(tmp_path / "m.lindy", data, "--learner", "svm", "--resume") == expected


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("number", [2, 4, 5])
def test_what_was_read_is_not_read_again(number, kind, small, tmp_path, monkeypatch):
    table, write = rows(), FORMATS[kind]
    paths = [write(tmp_path / f"a.{kind}", table[:500]), write(tmp_path / f"b.{kind}", table[500:])]
    args = [*paths, "--learner", "svm"]
    expected = trained(tmp_path / "whole.lindy", *args)
    kept = []
    with monkeypatch.context() as interrupting:
        commits = Interrupted(interrupting, number, torn=False)
        stopped = Stage.commit
        interrupting.setattr(
            Stage, "commit", lambda stage, **facts: (stopped(stage, **facts), kept.append(facts["rows"]))
        )
        assert run(["train", *map(str, args), "-o", str(tmp_path / "m.lindy"), "--quiet"]) == 130
        assert commits.commits == number
    read, of = [], Chunks.of

    def counted(*given, **options):
        for part in of(*given, **options):
            read.append(part.num_rows)
            yield part

    monkeypatch.setattr(Chunks, "of", counted)
    assert trained(tmp_path / "m.lindy", *args, "--resume") == expected
    assert sum(read) == len(table) - sum(kept)


@pytest.mark.parametrize("kind", ["jsonl", "fasttext"])
def test_the_bytes_of_what_was_read_are_not_read_again(kind, small, tmp_path, monkeypatch):
    data = FORMATS[kind](tmp_path / f"t.{kind}", rows())
    others = set(threading.enumerate())
    interrupted_cache(tmp_path, monkeypatch, data)
    gc.collect()  # parts that were begun and are left lying
    for reader in set(threading.enumerate()) - others:
        reader.join()
    sizes, read = [], Stream.read

    def noted(stream, size=-1):
        got = read(stream, size)
        if stream._source._text is None:  # of the file itself, not of a piece of it that is in memory
            sizes.append(len(got))
        return got

    monkeypatch.setattr(Stream, "read", noted)
    monkeypatch.setattr(lindy.data.chunks.row_chunker, "BLOCK", 700)  # of which the first line is read again
    trained(tmp_path / "m.lindy", data, "--learner", "svm", "--resume")
    resumed = sum(sizes)
    sizes.clear()
    trained(tmp_path / "m.lindy", data, "--learner", "svm")
    kept = 2 * lindy.cli.io.large.PART - 2000  # bytes of two parts, each but for a row at most
    assert resumed < sum(sizes) - kept + 1000


@pytest.mark.parametrize(
    ("kind", "wrong"), [("csv", "good,one,too many\n"), ("jsonl", '{"label": "good", \n')]
)
def test_a_broken_row_behind_what_was_read_is_named(kind, wrong, small, tmp_path, monkeypatch, capsys):
    data = FORMATS[kind](tmp_path / f"t.{kind}", rows())
    lines = data.read_text("utf-8").splitlines(keepends=True)
    lines[880] = wrong
    data.write_text("".join(lines), "utf-8")
    with monkeypatch.context() as interrupting:
        Interrupted(interrupting, 3, torn=False)
        assert (
            run(["train", str(data), "--learner", "svm", "-o", str(tmp_path / "m.lindy"), "--quiet"]) == 130
        )
    said = failed(capsys, "train", data, "--learner", "svm", "-o", tmp_path / "m.lindy", "--resume")
    assert "line 881" in said
