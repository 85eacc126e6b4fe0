"""``lindy calibrate``: a saved model's probabilities and thresholds from a table."""

from __future__ import annotations

import json
from pathlib import Path

from lindy.data import samples
from tests.cli.conftest import Command

TRAIN, TEST = samples.path("reviews-train"), samples.path("reviews-test")


def test_a_model_is_calibrated_and_saved(tmp_path: Path, lindy: Command) -> None:
    model, made = tmp_path / "model.lindy", tmp_path / "calibrated.lindy"
    lindy("train", TRAIN, "-o", model, "--learner", "perceptron", "--calibrate", "none", "-q")
    outcome = lindy("calibrate", model, TEST, "-o", made)
    assert outcome.code == 0, outcome.err
    assert f"probabilities: temperature calibration on 100 texts\nsaved {made}" in outcome.err
    assert outcome.out.splitlines()[1].split() == ["before", "after"]
    assert [line.split("  ")[0] for line in outcome.out.splitlines()[2:]] == [
        "accuracy",
        "macro f1",
        "log loss",
        "calibration error",
    ]
    assert "by temperature" in lindy("inspect", made).out
    assert "this table was used for tuning" in lindy("evaluate", made, TEST).err


def test_thresholds_and_json(tmp_path: Path, lindy: Command) -> None:
    model, made = tmp_path / "model.lindy", tmp_path / "calibrated.lindy"
    lindy("train", TRAIN, "-o", model, "--learner", "naive-bayes", "-q")
    outcome = lindy(
        "calibrate", model, TEST, "-o", made, "--metric", "f1:positive", "--method", "sigmoid", "--json", "-q"
    )
    assert outcome.err == ""
    said = json.loads(outcome.out)
    assert (said["model"], said["calibration"], said["examples"]) == (str(made), "sigmoid", 100)
    assert said["said"][0].startswith("rule: ")
    assert lindy("predict", made, TEST).code == 0


def test_the_table_of_the_training_is_refused(tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "model.lindy"
    lindy("train", TRAIN, "-o", model, "--learner", "naive-bayes", "-q")
    outcome = lindy("calibrate", model, TRAIN, "-o", tmp_path / "new.lindy")
    assert outcome.code == 1
    assert "was trained on this table" in outcome.err
    assert "lindy split" in outcome.err
    assert not (tmp_path / "new.lindy").exists()


def test_labels_that_do_not_fit_are_told(tmp_path: Path, lindy: Command) -> None:
    model, made = tmp_path / "model.lindy", tmp_path / "calibrated.lindy"
    lindy("train", samples.path("intents-train"), "-o", model, "--learner", "naive-bayes", "-q")
    rows = [("lights off please", "lights off"), ("play a song", "music"), ("hm", "unheard of")]
    lines = [f"{text},{label}" for text, label in 8 * rows]
    (tmp_path / "dev.csv").write_text("\n".join(["text,label", *lines, ""]), encoding="utf-8")
    outcome = lindy("calibrate", model, tmp_path / "dev.csv", "-o", made)
    assert outcome.code == 0, outcome.err
    assert (
        "warning: 8 texts have labels that the model does not know, which are left out: unheard of"
        in outcome.err
    )
    assert "the temperature is the same for all" in outcome.err
    (tmp_path / "none.csv").write_text("text,label\na,x\nb,y\n", encoding="utf-8")
    outcome = lindy("calibrate", model, tmp_path / "none.csv", "-o", tmp_path / "new.lindy")
    assert outcome.code == 1
    assert "needs texts of at least two of the model's labels, and the table has none" in outcome.err
