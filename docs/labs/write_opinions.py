"""Writes the sample ``opinions``: book reviews that praise and blame at once, put together from the phrases below.

    python docs/labs/write_opinions.py

The reviews are harder than those of the sample ``reviews``: most opinions are told by what the reader did, praise and
blame are mixed, words of a sentiment lexicon occur in plots and in negations, and some labels are wrong. They show what
a lexicon misses and what learned weights find.
"""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

SAMPLES = Path(__file__).parents[2] / "src" / "lindy" / "data" / "samples"
SIZES = {"train": 1200, "test": 400}
SEED = 1

MIXED = 0.30  # how often a sentence says the opposite of the label
WRONG = 0.04  # how many labels are wrong

GENRES = """thriller; family saga; cookbook; memoir; fantasy; travel book; biography; ghost story; romance;
school story; war novel; western; detective story; guide to mushrooms; history of salt; space opera;
satire; comedy of manners; first novel; collection of stories; sequel; field guide; love story;
horror story; book of puzzles; bestseller; gardening manual; prize winner; book of essays; atlas""".replace(
    "\n", " "
).split("; ")
PLACES = """at the airport; in a second-hand shop; at the library; from my sister; for my birthday; on holiday;
at a church sale; because of the cover; after the film; for our reading circle; on a long train
ride; from an old teacher of mine; at the market; as an audio book; in the hospital; after a good
review in the paper; on the advice of a friend; by mistake; for a course; in a box in the attic""".replace(
    "\n", " "
).split("; ")
NEUTRAL = """It is a {genre}, and I bought it {place}.
I got this {genre} {place}.
My copy came {place}.
It has {n} pages and {m} chapters.
The story begins in {town} and ends in {town}.
{name} inherits a house in {town}, and {name} wants it.
{name} loves {name}, who loves somebody else.
{name} is a bad man with a good lawyer.
The good doctor {name} is accused of an awful crime.
There is a happy marriage, a terrible storm and a funeral.
Half of it is about the worst winter in the history of {town}.
The hero of the {genre} is called {name}.
{name} leaves {town} for {town} and comes back with a secret.
It won a prize in {year}.
It is volume {m} of a series, after "{town}" and "The {name} Affair".
I had read {name} before, years ago.
My best friend has the edition of {year}.
The print is small, and the paper is what one expects.
It is about love, war and bookkeeping.
The chapters in {town} are told by {name}, the others by {name}.
There are letters, recipes and a poem by {name}.
A great fire, a poor orphan, a rich uncle: you know the kind of {genre}.
It was translated in {year}.
An excellent school in {town} has hired {name}, and then somebody disappears.
The beautiful {name} has a dull brother.
I listened to it {place}.
{name} and {name} run a hotel in {town}.
You learn how people lived in {town} around {year}.""".splitlines()

# what readers did, and what they say of parts of a book: few of these words are on anybody's list
PRAISE_DEEDS = """I finished it in two evenings
I missed my stop on the bus
I read passages aloud to my husband
I have ordered the next one
I bought copies for all my nieces
it stays on my bedside table
I started again on page one
I was still thinking of it a week later
the whole family fought over it
I put off the last chapter to have more of it
it is going on the shelf of the ones I keep
my pupils asked for more
I forgot to eat
I called in late for work
I have quoted it ever since
I cried on the train
I laughed until the neighbours knocked
I lent it to everybody in the office
I want to move to {town} now
I could hear {name} speak""".splitlines()
BLAME_DEEDS = """I gave up on page {n}
it went to the charity shop
I skipped to the last chapter
I fell asleep three times
I want my money back
I kept checking how many pages were left
I counted the typing errors
I had to look up who {name} was again
I guessed the murderer on page {n}
it is propping up a table now
I only finished it because of our reading circle
I swapped it for a newspaper
somebody should have told the editor
I mixed up all the cousins
I rolled my eyes at every chapter
my pupils refused to go on
I returned it the same week
I read the last hundred pages diagonally
it took me five months
I would have stopped without the long flight""".splitlines()
PARTS = """the plot; the dialogue; the ending; the hero; the prose; the translation; the middle part; the first chapter;
the villain; the research; the index; the humour; the map at the front; the pace; the narrator; the style; the drawings;
the village; the courtroom scene; the sister""".replace("\n", " ").split("; ")
PRAISE_SAYINGS = """I enjoyed {part}
{part} rings true
{part} is brilliant
{part} sparkles
a great read
{part} kept me guessing
{part} is worth the price alone
{part} has warmth and bite
{part} never puts a foot wrong
{part} is as sharp as a knife
{part} carries you along
{part} is a joy
{part} feels lived in
{part} is handled with care
{part} deserves a medal
{part} surprised me on every page
not a word too many
there is nothing dull about {part}
no complaints about {part}
I was never bored
it could not have been told better
you will not regret it
{part} is beautifully done
what a wonderful book""".splitlines()
BLAME_SAYINGS = """I hated {part}
{part} goes nowhere
{part} is boring
a disappointing book
{part} creaks
{part} is padded out
{part} could be cut by half
{part} is lifted from better authors
{part} falls apart
{part} is made of cardboard
{part} repeats itself
{part} drags on and on
{part} reads like a school essay
{part} makes no sense
{part} is all over the place
{part} insults the reader
{part} was written in a hurry
not the great book that the cover promises
there is nothing to love about {part}
no excellent drawings can save {part}
I was never once happy with {part}
it could have been a good one
you will regret it
{part} is badly done
a complete waste of time and money, time and money that I will not see again""".splitlines()
JOINTS = ["{0}. {1}.", "{0}, and {1}.", "{0}, so {1}.", "{0}; {1}.", "{0}! {1}."]
TURNS = ["{0}, but {1}.", "Although {0}, {1}.", "{0}. Still, {1}.", "Granted, {0}; {1}.", "{0}, yet {1}."]
SYLLABLES = [
    "bar",
    "bel",
    "cor",
    "dan",
    "dor",
    "el",
    "fen",
    "gar",
    "hal",
    "ing",
    "jor",
    "kel",
    "lan",
    "mar",
    "mor",
    "nes",
    "or",
    "pel",
    "quin",
    "ros",
    "san",
    "tor",
    "ul",
    "ven",
    "wen",
    "yar",
    "zel",
]
ENDS = {"name": ["a", "o", "y", "er", "ick"], "town": ["ton", "ford", "ham", "mouth", "bury"]}


class Author:
    """Somebody who writes reviews, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.used: set[str] = set()  # the phrases of the review that is being written
        self.known = {kind: [self._invented(ends) for _ in range(120)] for kind, ends in ENDS.items()}

    def review(self) -> tuple[str, str]:
        """Return a review and its label."""
        positive = self.rng.random() < 0.5
        self.used.clear()
        sentences = [self._filled(self._new(NEUTRAL)) for _ in range(self.rng.randint(1, 3))]
        sentences += [self._opinion(positive) for _ in range(self.rng.randint(1, 3))]
        first, *rest = sentences
        self.rng.shuffle(rest)
        text = " ".join(sentence[:1].upper() + sentence[1:] for sentence in [first, *rest])
        said = positive != (self.rng.random() < WRONG)
        return text, "positive" if said else "negative"

    def _opinion(self, positive: bool) -> str:
        if self.rng.random() < MIXED:  # the last word is what counts
            pair, joint = (self._phrase(not positive), self._phrase(positive)), self.rng.choice(TURNS)
        elif self.rng.random() < 0.5:
            pair, joint = (self._phrase(positive), self._phrase(positive)), self.rng.choice(JOINTS)
        else:
            return self._phrase(positive) + "."
        second = pair[1]
        if joint[joint.index("{1}") - 2] in ".!":
            second = second[:1].upper() + second[1:]
        return joint.format(pair[0], second)

    def _phrase(self, positive: bool) -> str:
        deeds, sayings = (PRAISE_DEEDS, PRAISE_SAYINGS) if positive else (BLAME_DEEDS, BLAME_SAYINGS)
        return self._filled(self._new(deeds if self.rng.random() < 0.5 else sayings))

    def _new(self, phrases: list[str]) -> str:
        """Return a phrase that the review does not have yet."""
        phrase = self._often(phrases)
        while phrase in self.used:
            phrase = self._often(phrases)
        self.used.add(phrase)
        return phrase

    def _filled(self, pattern: str) -> str:
        while "{" in pattern:
            begin, end = pattern.index("{"), pattern.index("}")
            pattern = pattern[:begin] + self._slot(pattern[begin + 1 : end]) + pattern[end + 1 :]
        return pattern

    def _slot(self, kind: str) -> str:
        if kind in self.known:
            return self._often(self.known[kind])
        numbers = {"n": (30, 600), "m": (4, 40), "year": (1890, 2024)}
        if kind in numbers:
            return str(self.rng.randint(*numbers[kind]))
        return self._often({"genre": GENRES, "place": PLACES, "part": PARTS}[kind])

    def _often(self, choices: list[str]) -> str:
        """Return one of the choices, the first ones more often, as words are distributed."""
        return choices[int(len(choices) * self.rng.random() ** 1.5)]

    def _invented(self, ends: list[str]) -> str:
        pieces = self.rng.choices(SYLLABLES, k=self.rng.randint(1, 2))
        return ("".join(pieces) + self.rng.choice(ends)).capitalize()


def write(folder: Path) -> None:
    """Write the tables train and test; no review is in both."""
    author, seen = Author(SEED), set()
    for part, size in SIZES.items():
        with (folder / f"opinions-{part}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(("text", "label"))
            for _ in range(size):
                text, label = author.review()
                while text in seen:
                    text, label = author.review()
                seen.add(text)
                rows.writerow((text, label))


if __name__ == "__main__":
    write(SAMPLES)
