"""Pictures from idx, npz and folders: what is written comes back, and what is broken is named."""

from __future__ import annotations

import gzip
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lindy.errors import DataError, MissingPackageError
from lindy.images import read_images, write_idx

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
LABELS = np.array([7, 1], np.uint8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("images")


SIZES = st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5))


@given(SIZES, st.randoms(use_true_random=False), st.booleans())
def test_idx_comes_back(folder: Path, size: tuple[int, int, int], random: Any, packed: bool) -> None:
    images = np.array([random.randrange(256) for _ in range(int(np.prod(size)))], np.uint8).reshape(size)
    path = folder / ("some-images-idx3-ubyte" + ".gz" * packed)
    write_idx(folder / "plain", images)
    data = (folder / "plain").read_bytes()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert np.array_equal(read_images(path).images, images)


def test_labels_lie_beside_the_images(tmp_path: Path) -> None:
    write_idx(tmp_path / "t10k-images-idx3-ubyte", IMAGES)
    assert read_images(tmp_path / "t10k-images-idx3-ubyte").labels is None
    write_idx(tmp_path / "t10k-labels-idx1-ubyte", LABELS)
    assert labels_of(tmp_path / "t10k-images-idx3-ubyte") == [7, 1]
    write_idx(tmp_path / "other", LABELS[::-1].copy())
    assert labels_of(tmp_path / "t10k-images-idx3-ubyte", labels=tmp_path / "other") == [1, 7]


def labels_of(path: Path, **options: Any) -> list[Any]:
    labels = read_images(path, **options).labels
    assert labels is not None
    return labels.tolist()


HEAD = b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (2, 3, 4))
BAD_IDX: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "begins with nothing"),
    "another file": (b"\x89PNG\r\n", "begins with 89 50 4e 47, expected 00 00 08 03"),
    "numbers of another type": (b"\0\0\x0d\x03", "not an idx file"),
    "labels for images": (b"\0\0\x08\x01\0\0\0\x01\x05", "1 dimensions, expected 3: images"),
    "only the magic": (b"\0\0\x08\x03", "truncated"),
    "sizes cut off": (HEAD[:10], "truncated"),
    "values cut off": (HEAD + bytes(23), "truncated: 2 × 3 × 4 = 24 expected, got 23"),
    "values beyond the end": (HEAD + bytes(25), "followed by more"),
    "no images": (b"\0\0\x08\x03" + bytes(12), "there are no images"),
    "enormous": (b"\0\0\x08\x03" + b"\xff" * 12, "truncated"),
}


@pytest.mark.parametrize("case", BAD_IDX)
def test_bad_idx(case: str, tmp_path: Path) -> None:
    data, message = BAD_IDX[case]
    (tmp_path / "bad").write_bytes(data)
    with pytest.raises(DataError) as caught:
        read_images(tmp_path / "bad")
    assert message in str(caught.value)
    assert str(tmp_path / "bad") in str(caught.value)
    assert caught.value.hint


def test_labels_of_other_images(tmp_path: Path) -> None:
    write_idx(tmp_path / "images", IMAGES)
    write_idx(tmp_path / "labels", np.zeros(3, np.uint8))
    with pytest.raises(DataError, match=r"2 images, but .* has 3 labels"):
        read_images(tmp_path / "images", tmp_path / "labels")
    with pytest.raises(DataError, match="3 dimensions, expected 1: labels"):
        read_images(tmp_path / "images", tmp_path / "images")
    with pytest.raises(DataError, match="no such file"):
        read_images(tmp_path / "imagse")


def test_npz(tmp_path: Path) -> None:
    path = tmp_path / "digits.npz"
    np.savez(path, images=IMAGES, labels=LABELS)
    assert np.array_equal(read_images(path).images, IMAGES)
    assert labels_of(path) == [7, 1]
    np.savez_compressed(path, X_train=IMAGES, y_train=LABELS, X_test=IMAGES[:1], y_test=LABELS[:1])
    assert labels_of(path, part="test") == [7]
    np.savez(path, X=np.zeros((5, 9)))
    assert read_images(path).images.shape == (5, 3, 3)
    assert read_images(path).labels is None
    np.savez(path, X=np.zeros((5, 6)))
    assert read_images(path, shape=(2, 3)).images.shape == (5, 2, 3)


BAD_NPZ: dict[str, tuple[dict[str, NDArray[Any]], str]] = {
    "two parts": (
        {"x_train": IMAGES, "x_test": IMAGES},
        "several arrays could be the images: 'x_train', 'x_test'",
    ),
    "no images": ({"a": IMAGES}, "no array holds the images; there are: 'a'"),
    "rows that are no square": ({"x": np.zeros((2, 6))}, "the shape 2 × 6"),
    "colours": ({"x": np.zeros((2, 3, 4, 3))}, "2 × 3 × 4 × 3"),
    "no image at all": ({"x": np.zeros((0, 3, 4))}, "0 × 3 × 4"),
    "words": ({"x": np.array([[["a"]]])}, "expected numbers"),
    "too few labels": ({"x": IMAGES, "y": LABELS[:1]}, "2 images, but labels of shape 1"),
    "objects": ({"x": np.array([[[None]]])}, "damaged"),
}


@pytest.mark.parametrize("case", BAD_NPZ)
def test_bad_npz(case: str, tmp_path: Path) -> None:
    arrays, message = BAD_NPZ[case]
    np.savez(tmp_path / "bad.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(DataError) as caught:
        read_images(tmp_path / "bad.npz")
    assert message in str(caught.value)
    assert caught.value.hint


def test_damaged_npz(tmp_path: Path) -> None:
    path = tmp_path / "digits.npz"
    np.savez_compressed(path, images=IMAGES, labels=LABELS)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError, match="damaged"):
            read_images(path)
    for place in range(0, len(whole), 11):
        flipped = bytearray(whole)
        flipped[place] ^= 0x10
        path.write_bytes(flipped)
        with suppress(DataError):  # what is not noticed must at least not be another exception
            read_images(path)


def save(path: Path, picture: NDArray[np.uint8]) -> None:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path)


def test_folders_of_images(tmp_path: Path) -> None:
    save(tmp_path / "seven" / "a.png", IMAGES[0])
    save(tmp_path / "one" / "b.png", IMAGES[1])
    data = read_images(tmp_path)
    assert np.array_equal(data.images, IMAGES[::-1])
    assert labels_of(tmp_path) == ["one", "seven"]


def test_bad_folders_of_images(tmp_path: Path) -> None:
    save(tmp_path / "0" / "a.png", IMAGES[0])
    save(tmp_path / "1" / "b.png", IMAGES[1][:2])
    with pytest.raises(DataError, match=r"b\.png: 2 × 4 pixels, but .*a\.png has 3 × 4") as caught:
        read_images(tmp_path)
    assert caught.value.hint
    (tmp_path / "1" / "b.png").write_bytes(b"no image")
    with pytest.raises(DataError, match=r"b\.png: not an image"):
        read_images(tmp_path)
    whole = (tmp_path / "0" / "a.png").read_bytes()
    (tmp_path / "1" / "b.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"b\.png: not an image, or damaged"):
        read_images(tmp_path)
    save(tmp_path / "1" / "b.png", np.zeros((1, 5000), np.uint8))
    with pytest.raises(DataError, match="1 × 5000 pixels; at most 4096"):
        read_images(tmp_path)


def test_without_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingPackageError) as caught:
        read_images(tmp_path)
    assert "lindy[images]" in str(caught.value.hint)
