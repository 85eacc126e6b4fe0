"""An engine as somebody else would write it: workers anywhere, two methods, and the rest is inherited."""

from pathlib import Path

import pytest
from tests.partitioned import WANTED, corpus, cut, model_bytes

from lindy import TextClassifier
from lindy.distributed.cluster_fit import fit_partitions
from lindy.distributed.engine import EngineError
from lindy.distributed.partition_workers import PartitionWorker, WorkerEngine
from lindy.distributed.processes import Processes


class Here(WorkerEngine):
    """Workers in this process, each of two threads; every now and then one is lost after it has done its work."""

    rounds = 0
    losses: tuple[int, ...] = ()

    def settle(self, numbers):
        return [
            (PartitionWorker({n: self.sources[n] for n in own}, threads=2), list(own))
            for own in (numbers[::2], numbers[1::2])
            if own
        ]

    def ask(self, questions):
        self.rounds += 1
        replies = [worker.answer(message, own) for worker, message, own in questions]
        return [None, *replies[1:]] if self.rounds in self.losses else replies


class Losing(Here):
    losses = (1, 4, 6, 9, 13)


class AlwaysLosing(Here):
    losses = tuple(range(8, 100))


def fitted(kind, parts) -> TextClassifier:
    model = TextClassifier(learner="maxent")
    with kind("frame_part", parts, WANTED) as engine:
        fit_partitions(model, engine)
    return model


@pytest.mark.parametrize("kind", [Here, Losing])
def test_an_engine_of_two_methods_has_the_same_bytes(kind, tmp_path: Path) -> None:
    parts = cut(corpus(), 7)
    found = {model_bytes(fitted(own, parts), tmp_path) for own in (kind, Processes)}
    assert len(found) == 1


def test_workers_that_are_lost_again_and_again_end_the_training() -> None:
    with pytest.raises(EngineError, match="workers were lost 3 times in the same round"):
        fitted(AlwaysLosing, cut(corpus(), 4))
