"""Thousands of requests made from the service's own OpenAPI document, right ones and wrong ones.

    python -m benchmarks.torture.service [--requests 5000] [--seed 1]

Paths, methods, parameters and bodies are drawn from the schemas of ``/openapi.json``; many get one thing wrong: a type,
a name, a method, a cut or changed byte. No answer may be a mistake of the service (5xx), and every refusal has the one
documented shape.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from tests.web import fuzzing
from tests.web.servers import serving

from lindy import TextClassifier
from lindy.data import samples


def models(folder: Path) -> list[Path]:
    """Save the models that the requests name: of texts, of a table, and of features."""
    data = samples.load("reviews-train")
    texts, labels = data.texts.to_pylist(), data.labels.to_pylist()
    made = {
        "reviews": TextClassifier(learner="maxent").fit(texts, labels),
        "tickets": TextClassifier(learner="maxent", columns={"text": ["subject"], "numeric": ["price"]}).fit(
            [{"subject": text, "price": len(text)} for text in texts], labels
        ),
        "features": TextClassifier(learner="naive-bayes").fit(
            [dict.fromkeys(text.split(), 1.0) for text in texts], labels
        ),
    }
    for name, model in made.items():
        model.save(folder / f"{name}.lindy")
    return [folder / f"{name}.lindy" for name in made]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    counts: Counter[tuple[str, int]] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = [*models(folder), "--feedback", folder / "corrections.csv"]
        with serving(*words) as server:
            document = server.ask("/openapi.json").json()

            @seed(args.seed)
            @settings(
                max_examples=args.requests,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(st.data())
            def ask(data: st.DataObject) -> None:
                method, address, body, headers = data.draw(fuzzing.requests(document))
                status = fuzzing.survive(server, method, address, body, headers)
                counts[address.partition("?")[0], status] += 1

            begun = time.perf_counter()
            ask()
            assert server.ask("/health").status == 200
            taken = time.perf_counter() - begun
        assert not [line for line in server.lines if "Traceback" in line], server.lines
    statuses: Counter[int] = Counter()
    for (_, status), n in counts.items():
        statuses[status] += n
    print(
        f"{statuses.total():,} requests from the document, {len(document['paths'])} addresses, {taken:.0f} s"
    )
    print("   ".join(f"{status}: {n:,}" for status, n in sorted(statuses.items())))
    print("0 answers of 500 or more; every refusal in the one shape; the service healthy after them")


if __name__ == "__main__":
    main()
