"""Runs the benchmarks, keeps what they give in benchmarks/records, and renews RESULTS.md, tables and pictures.

    python -m benchmarks --quick | --full | TOPIC …  [--anyway] [--no-record] [-- arguments of the topics]

``--quick`` takes some ten minutes, ``--full`` some hours. Before each topic the machine must be quiet; ``--anyway``
measures all the same, and the record says so. Records of other topics stay as they are.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import readme
from benchmarks.results import FULL, QUICK, TOPICS, WITHIN, measure


def main() -> None:
    own = sys.argv[1:]
    cut = own.index("--") if "--" in own else len(own)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"{', '.join(TOPICS)}")
    parser.add_argument("--quick", action="store_true", help="what make bench measures")
    parser.add_argument("--full", action="store_true", help="all topics")
    parser.add_argument("--anyway", action="store_true", help="on a busy machine, too; the record says so")
    parser.add_argument("--no-record", action="store_true", help="only print")
    asked = parser.parse_args(own[:cut])
    if unknown := set(asked.topics) - set(TOPICS):
        parser.error(f"no topic {', '.join(sorted(unknown))}; there are: {', '.join(TOPICS)}")
    todo = dict.fromkeys(asked.topics, own[cut + 1 :])
    if asked.quick:
        todo |= QUICK
    if asked.full:
        todo |= {topic: FULL.get(topic, []) for topic in TOPICS}
    if not todo:
        parser.error("name a topic, --quick or --full")
    for topic, within in WITHIN.items():
        if topic in todo:
            todo.setdefault(within, todo.pop(topic))
    seconds = {}
    for topic, arguments in todo.items():
        seconds[topic] = measure(topic, arguments, anyway=asked.anyway, keep=not asked.no_record)
        if not asked.no_record:
            readme.renew()
    told = ", ".join(f"{topic} {took:.0f}" for topic, took in seconds.items())
    print(f"{sum(seconds.values()):.0f} s: {told}")


if __name__ == "__main__":
    main()
