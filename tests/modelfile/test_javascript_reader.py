"""The reader in JavaScript, which was written from the page about model files alone, sees what lindy wrote."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lindy import TextClassifier
from lindy.data import samples
from lindy.modelfile import read_model

READER = Path(__file__).parents[2] / "docs" / "concepts" / "read_model.mjs"
DATA = samples.load("reviews-train")
TEXTS, LABELS = DATA.texts.to_pylist()[:60], DATA.labels.to_pylist()[:60]
ASK = """
import { readModel, termsOf } from "./read_model.mjs";
const { version, header, arrays } = readModel(process.argv[2]);
const texts = {};
for (const [name, { dtype, shape, values }] of Object.entries(arrays))
  texts[name] = [dtype, shape, Array.from(values, String)];
console.log(JSON.stringify({ version, header, arrays: texts, terms: termsOf(arrays) }));
"""

pytestmark = pytest.mark.needs_system("node")


def run(script: Path, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", script, path], capture_output=True, text=True, check=False)


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    shutil.copy(READER, tmp_path)
    script = tmp_path / "ask.mjs"
    script.write_text(ASK, encoding="utf-8")
    return script


@pytest.mark.parametrize(
    "options",
    [{"ngrams": (1, 3)}, {"ngrams": (1, 1)}, {"chars": (2, 4)}],
    ids=["phrases", "words", "characters"],
)
def test_header_arrays_and_terms_are_those_of_the_library(
    options: dict, asking: Path, tmp_path: Path
) -> None:
    odd = ["Straße ΣΊΣΥΦΟΣ e\u0301te\u0301 🙂 \ufeffmark", "naïve İstanbul 你好"]
    model = TextClassifier(learner="svm", **options).fit([*TEXTS, *odd], [*LABELS, "positive", "negative"])
    model.save(tmp_path / "model.lindy")

    seen = json.loads(run(asking, tmp_path / "model.lindy").stdout)
    kept = read_model(tmp_path / "model.lindy")
    assert seen["version"] == kept.version
    assert seen["header"] == kept.header
    assert set(seen["arrays"]) == set(kept.arrays)
    for name, array in kept.arrays.items():
        _, shape, values = seen["arrays"][name]
        assert shape == list(array.shape)
        np.testing.assert_array_equal(np.array(values, np.float64), array.ravel().astype(np.float64))
    assert seen["terms"] == model.vectorizer_.names_of(range(model.vectorizer_.n_columns))


def test_a_flipped_bit_is_noticed(asking: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    TextClassifier(learner="naive-bayes").fit(TEXTS, LABELS).save(path)
    contents = bytearray(path.read_bytes())
    contents[-5] ^= 16
    path.write_bytes(contents)
    answer = run(asking, path)
    assert answer.returncode == 1
    assert "the checksum is" in answer.stderr


def test_it_prints_a_summary_and_terms(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    model = TextClassifier(learner="naive-bayes").fit(TEXTS, LABELS)
    model.save(path)
    printed = subprocess.run(["node", READER, path, "3"], capture_output=True, text=True, check=True).stdout
    assert '"kind"' in printed
    assert printed.splitlines()[-1] == f"3\t{model.vectorizer_.names_of([3])[0]}"
