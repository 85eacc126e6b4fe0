"""Files made to harm, with checksums that agree, and files of other kinds."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pickle
import socket
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from tests.hostile.forgery import array, forged, signed, tree

from lindy.errors import ModelFileError
from lindy.modelfile import read_model, write_model

F32 = np.arange(6, dtype="<f4").tobytes()
SOUND = tree(W=array("F32", [3, 2], 0, 24))


def text(head) -> str:
    return json.dumps(head, ensure_ascii=False, separators=(",", ":"))


def refusal(path, contents: bytes) -> str:
    path.write_bytes(contents)
    messages = set()
    for mapped in (True, False):
        with pytest.raises(ModelFileError) as caught:
            read_model(path, mapped=mapped)
        assert caught.value.hint
        messages.add(str(caught.value))
    assert len(messages) == 1
    return messages.pop()


def test_the_forger_can_make_sound_files(tmp_path):
    write_model(tmp_path / "own", {}, {"W": np.arange(6, dtype=np.float32).reshape(3, 2)})
    assert (tmp_path / "own").read_bytes() == forged(SOUND, F32)
    assert signed(forged(SOUND, F32)) == forged(SOUND, F32)


HEADS = {
    "deep list in the header": tree("[" * 100_000 + "]" * 100_000),
    "deep object in the header": tree('{"a":' * 100_000 + "1" + "}" * 100_000),
    "header is a list": tree("[]"),
    "header is empty": tree(""),
    "header is cut": tree('{"a":'),
    "header with white space": tree('{"a": 1}'),
    "header with unsorted keys": tree('{"b":1,"a":2}'),
    "header with a key twice": tree('{"a":1,"a":1}'),
    "header with NaN": tree('{"a":NaN}'),
    "header with Infinity": tree('{"a":-Infinity}'),
    "header with a number beyond float64": tree('{"a":1e999}'),
    "header with another spelling of a number": tree('{"a":1E2}'),
    "header with a huge integer": tree('{"a":' + "9" * 5000 + "}"),
    "header with escapes that are not needed": tree('{"a":"\\u0041"}'),
    "header with a lone surrogate": tree('{"a":"\\ud800"}'),
    "header with a control character": tree('{"a":"\n"}'),
    "header with trailing bytes": tree("{}{}"),
    "header with a comment": tree("{}//"),
    "header is no string": tree({"a": 1}),
    "header missing": {"__metadata__": {"format": "lindy", "version": "2", "crc32": "00000000"}},
    "metadata with a further key": {"__metadata__": {**tree()["__metadata__"], "x": "y"}},
    "non_finite is no list": tree('{"non_finite":"W"}', W=array("F32", [6], 0, 24)),
    "non_finite names nothing": tree('{"non_finite":["V"]}', W=array("F32", [6], 0, 24)),
    "array is no object": tree(W=3),
    "array is null": tree(W=None),
    "array without dtype": tree(W={"shape": [6], "data_offsets": [0, 24]}),
    "array without shape": tree(W={"dtype": "F32", "data_offsets": [0, 24]}),
    "array without offsets": tree(W={"dtype": "F32", "shape": [6]}),
    "array with a further key": tree(W={**array("F32", [6], 0, 24), "x": 1}),
    "array keys in another order": tree(W={"shape": [6], "dtype": "F32", "data_offsets": [0, 24]}),
    "unknown dtype": tree(W=array("F12", [6], 0, 24)),
    "safetensors dtype that is not ours": tree(W=array("BF16", [12], 0, 24)),
    "object dtype": tree(W=array("O", [3], 0, 24)),
    "dtype is a list": tree(W=array(["F32"], [6], 0, 24)),
    "dtype is a number": tree(W=array(1, [6], 0, 24)),
    "shape is a number": tree(W=array("F32", 6, 0, 24)),
    "shape is a string": tree(W=array("F32", "6", 0, 24)),
    "negative dimension": tree(W=array("F32", [-6], 0, 24)),
    "two negative dimensions": tree(W=array("F32", [-3, -2], 0, 24)),
    "negative dimension that another makes up for": tree(
        V=array("F32", [-1], 0, -4), W=array("F32", [7], -4, 24)
    ),
    "dimension is a float": tree(W=array("F32", [6.0], 0, 24)),
    "dimension is true": tree(W=array("U8", [24, True], 0, 24)),
    "dimension is null": tree(W=array("F32", [None], 0, 24)),
    "product overflows to the right length": tree(W=array("F32", [2**62, 4, 6], 0, 24)),
    "product overflows with a zero": tree(W=array("F32", [0, 2**40, 2**40], 0, 0)),
    "dimension beyond int64": tree(W=array("F32", [2**64 + 6], 0, 24)),
    "more than eight dimensions": tree(W=array("F32", [1] * 8 + [6], 0, 24)),
    "a million dimensions": tree(W=array("F32", [1] * 1_000_000, 0, 24)),
    "shape smaller than the offsets": tree(W=array("F32", [5], 0, 24)),
    "shape larger than the offsets": tree(W=array("F32", [7], 0, 24)),
    "negative offset": tree(W=array("F32", [6], -24, 0)),
    "offsets reversed": tree(W=array("F32", [6], 24, 0)),
    "offsets are floats": tree(W=array("F32", [6], 0.0, 24.0)),
    "offsets beyond the file": tree(W=array("F32", [6], 24, 48)),
    "three offsets": tree(W={"dtype": "F32", "shape": [6], "data_offsets": [0, 24, 24]}),
    "overlapping arrays": tree(V=array("F32", [6], 0, 24), W=array("F32", [6], 0, 24)),
    "a gap between arrays": tree(V=array("F32", [2], 0, 8), W=array("F32", [3], 12, 24)),
    "a gap at the end": tree(W=array("F32", [5], 0, 20)),
    "a gap at the beginning": tree(W=array("F32", [5], 4, 24)),
    "no arrays": tree(),
    "more than a thousand arrays": tree(**{f"{n:04}": array("U8", [0], 0, 0) for n in range(1001)}),
    "arrays in another order": tree(W=array("F32", [3], 0, 12), V=array("F32", [3], 12, 24)),
    "arrays placed in another order": tree(V=array("F32", [3], 12, 24), W=array("F32", [3], 0, 12)),
    "small items before large ones": tree(A=array("U8", [8], 0, 8), B=array("F64", [2], 8, 24)),
}


@pytest.mark.parametrize("name", HEADS)
def test_hostile_heads_are_refused(tmp_path, name):
    assert "damaged" in refusal(tmp_path / "model", forged(HEADS[name], F32))
    if name != "no arrays":  # without data, the length of the file is right for a head without arrays
        assert "damaged" in refusal(tmp_path / "model", forged(HEADS[name]))


@pytest.mark.parametrize("dimension", [1, 2**59 - 1, 2**59])
def test_an_empty_array_has_dimensions_that_numpy_can_multiply(tmp_path, dimension):
    contents = forged(tree(W=array("F64", [0, dimension], 0, 0)))
    if dimension == 2**59:
        assert "too large" in refusal(tmp_path / "model", contents)
    else:
        (tmp_path / "model").write_bytes(contents)
        assert read_model(tmp_path / "model").arrays["W"].shape == (0, dimension)


SPELLINGS = {
    "array named twice": text(SOUND)[:-1] + ',"W":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}',
    "metadata twice": text(SOUND)[:-1] + "," + text(tree())[1:],
    "metadata twice, then no object": text(SOUND)[:-1] + ',"__metadata__":["header"]}',
    "not closed": text(SOUND)[:-1],
    "closed twice": text(SOUND) + "}",
    "trailing newline": text(SOUND) + "\n",
    "trailing NUL": text(SOUND) + "\0",
    "white space inside": text(SOUND).replace('"W":', '"W": '),
    "escaped name": text(SOUND).replace('"W"', '"\\u0057"'),
    "not UTF-8": text(SOUND).encode().replace(b'"W"', b'"\xff"'),
    "overlong UTF-8": text(SOUND).encode().replace(b'"W"', b'"\xc1\x97"'),
    "surrogate in UTF-8": text(SOUND).encode().replace(b'"W"', b'"\xed\xa0\x80"'),
    "UTF-16": text(SOUND)[:70].encode() + text(SOUND)[70:].encode("utf-16"),
    "NaN as a dimension": text(SOUND).replace("[3,2]", "[NaN,2]"),
    "more padding than needed": text(SOUND) + " " * 64,
}


@pytest.mark.parametrize("head", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_hostile_spellings_are_refused(tmp_path, head):
    assert "damaged" in refusal(tmp_path / "model", forged(head, F32))


@pytest.mark.parametrize(
    "length", [0, 1, 7, 100, 2**20, 2**31, 2**32 + 128, 2**40, 2**63 - 1, 2**63, 2**64 - 1]
)
def test_wrong_lengths_of_the_head_are_refused(tmp_path, length):
    reason = refusal(tmp_path / "model", forged(SOUND, F32, length=length))
    assert "damaged" in reason
    assert ("longer than the file" in reason) == (length >= 2**20)


def test_a_head_beyond_the_cap_is_refused_before_it_is_parsed(tmp_path):
    assert "longer than" in refusal(tmp_path / "model", forged(tree('{"a":"' + "x" * (4 << 20) + '"}')))


def test_the_checksum_has_one_spelling(tmp_path):
    models = (forged(tree(f'{{"n":{n}}}', W=array("F32", [6], 0, 24)), F32) for n in range(100))
    contents = next(model for model in models if model[65:73] != model[65:73].upper())
    assert "checksum" in refusal(tmp_path / "model", contents[:65] + contents[65:73].upper() + contents[73:])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["F32", "F64"])
def test_non_finite_numbers_are_refused(tmp_path, dtype, value):
    numbers = np.array([1, 2, value], "<f4" if dtype == "F32" else "<f8")
    head = tree(W=array(dtype, [3], 0, numbers.nbytes))
    assert "at position 2" in refusal(tmp_path / "model", forged(head, numbers.tobytes()))
    if value != -np.inf:
        declared = tree('{"non_finite":["W"]}', W=array(dtype, [3], 0, numbers.nbytes))
        assert "NaN or +inf" in refusal(tmp_path / "model", forged(declared, numbers.tobytes()))


@pytest.mark.parametrize("version", ["4", "10", "999999999999999999999"])
def test_a_newer_version_asks_for_an_upgrade(tmp_path, version):
    contents = forged(SOUND, F32).replace(b'"version":"2"', b'"version":"%s"' % version.encode())
    (tmp_path / "model").write_bytes(contents)
    with pytest.raises(ModelFileError, match=f"version {version} of the model format") as caught:
        read_model(tmp_path / "model")
    assert "pip install --upgrade lindy" in caught.value.hint


def test_there_is_no_version_0(tmp_path):
    head = tree()
    head["__metadata__"]["version"] = "0"
    assert "there is no version 0 of the model format" in refusal(tmp_path / "model", forged(head))


@pytest.mark.parametrize("version", [b"", b"one", b"-1", b"1.0", b"1" * 300])
def test_versions_that_are_no_number_are_not_ours(tmp_path, version):
    contents = forged(SOUND, F32).replace(b'"version":"2"', b'"version":"%s"' % version)
    assert "is not a lindy model file" in refusal(tmp_path / "model", contents)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_named(tmp_path, protocol):
    assert "looks like a Python pickle" in refusal(
        tmp_path / "model.pkl", pickle.dumps({"W": [1.0]}, protocol)
    )


@pytest.mark.parametrize("second", [1, 6])
def test_only_the_protocols_of_pickle_are_pickles(tmp_path, second):
    assert "it does not begin as one" in refusal(tmp_path / "model.pkl", bytes([0x80, second, 0, 1, 2]))


FOREIGN = {
    "gzip": gzip.compress(b"x"),
    "LIBLINEAR": b"solver_type L2R_LR\nnr_class 2\n",
    "Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
    "text or CSV": 'text,label\n"Schön, wirklich",positiv\n'.encode() * 20,
    "JSON": b'{"text": "good"}\n',
    "Parquet": b"PAR1" + bytes(50),
    "web page": b"<!DOCTYPE html><html>",
    "NumPy": b"\x93NUMPY\x01\x00",
    "safetensors file of another": forged(SOUND, F32).replace(b'"lindy"', b'"pt"'),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_files_of_other_kinds_are_named(tmp_path, kind):
    message = refusal(tmp_path / "model", FOREIGN[kind])
    assert "is not a lindy model file: it looks like" in message
    assert kind in message


def test_zip_archives_are_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("W.npy", b"x")
    assert "a zip archive" in refusal(tmp_path / "model", (tmp_path / "zip").read_bytes())


@pytest.mark.parametrize("shift", range(8))
def test_text_is_recognised_wherever_a_character_is_cut(tmp_path, shift):
    assert "text or CSV" in refusal(tmp_path / "model", ("x" * shift + "größer → größer\n" * 40).encode())


def test_text_with_more_than_a_cut_character_is_none(tmp_path):
    cut = b"text,label\n" * 3
    assert "text or CSV" in refusal(tmp_path / "model", cut + b"\xff" * 3)
    assert "it does not begin as one" in refusal(tmp_path / "model", cut + b"\xff" * 4)
    assert "it does not begin as one" in refusal(tmp_path / "model", b"\xff" * 3)


@pytest.mark.parametrize("contents", [b"", b"\xff" * 8, bytes(5000), bytes(range(128, 256)) * 20])
def test_noise_is_refused(tmp_path, contents):
    assert "it does not begin as one" in refusal(tmp_path / "model", b"\xfe" + contents)


def test_an_empty_file_is_named(tmp_path):
    assert "is empty" in refusal(tmp_path / "model", b"")


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    expected = {
        tmp_path: "is a folder",
        tmp_path / "pipe": "a pipe or a device",
        "/dev/zero": "a pipe or a device",
        tmp_path / "loop": "cannot read",
        tmp_path / "missing": "does not exist",
        tmp_path / "pipe" / "below": "cannot read",
        tmp_path / ("x" * 300): "cannot read",
    }
    for path, message in expected.items():
        with pytest.raises(ModelFileError, match=message) as caught:
            read_model(path)
        assert caught.value.hint


def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's name has at most 108 characters
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(ModelFileError, match="cannot read"):
            read_model("socket")


def test_a_file_without_permission_is_named(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ModelFileError, match="no permission to read"):
        read_model(tmp_path / "model")


AUDIT = """
import sys
from lindy.errors import ModelFileError
from lindy.modelfile import read_model
seen = set()
sys.addaudithook(lambda event, args: seen.add(event))
seen.clear()
for path in sys.argv[1:]:
    try:
        read_model(path)
    except ModelFileError:
        pass
print(sorted(seen))
"""


def test_reading_imports_compiles_and_executes_nothing(tmp_path):
    """Of all that Python audits, only opening and mapping the file happen, whatever the file holds."""
    code = tree(
        '{"__reduce__":["os.system","true"],"import":"antigravity"}', **{"os.system": array("U8", [0], 0, 0)}
    )
    contents = [
        forged(code),
        forged(SOUND, F32),
        forged(SOUND, F32)[:-1],
        forged(HEADS["deep list in the header"]),
        forged(SPELLINGS["not UTF-8"], F32),
        pickle.dumps(print),
        b"import os",
    ]
    paths = [tmp_path / str(number) for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    read_model(paths[0])
    done = subprocess.run([sys.executable, "-c", AUDIT, *paths], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['mmap.__new__', 'open']"


@pytest.mark.parametrize("contents", [forged(SOUND, F32), forged(tree("[]"))], ids=["sound", "refused"])
def test_no_descriptor_stays_open(tmp_path, contents):
    (tmp_path / "model").write_bytes(contents)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with contextlib.suppress(ModelFileError):
            read_model(tmp_path / "model", mapped=False)
    assert len(os.listdir("/proc/self/fd")) == before
