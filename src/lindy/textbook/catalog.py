"""Terms that are counted part by part: numbers in the order of their first appearance in all texts.

number(term) = how many other terms were seen before it
row          = its terms' numbers in ascending order, and how often each occurs
"""

from __future__ import annotations

from collections import Counter


class Catalog:
    """The numbers of all terms so far, and in how many texts each of them is."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.documents: list[int] = []

    def add(self, texts: list[list[str]]) -> list[list[tuple[int, int]]]:
        """Take the terms of further texts; returns each text's numbers and counts."""
        rows = []
        for terms in texts:
            for term in terms:
                if term not in self.numbers:
                    self.numbers[term] = len(self.numbers)
                    self.documents.append(0)
            counts = Counter(self.numbers[term] for term in terms)
            for number in counts:
                self.documents[number] += 1
            rows.append(sorted(counts.items()))
        return rows
