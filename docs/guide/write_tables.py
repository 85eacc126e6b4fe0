"""Writes the samples ``tickets``, ``intents-train`` and ``intents-test``, which the guides work with.

    python docs/guide/write_tables.py

``tickets`` is what a help desk exports: a customer wrote several tickets, each has a subject, a message, one queue and
any number of tags. Some queues are wrong, some tickets were sent twice. Intents are short commands to a speaker in a
living room: those to train on are put together from phrases, those to test on are worded otherwise.
"""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

SAMPLES = Path(__file__).parents[2] / "src" / "lindy" / "data" / "samples"
TICKETS, TWICE, WRONG = 360, 8, 0.04
INTENTS = 20  # of each kind
SEED = 1

GREETINGS = ["Hello,", "Dear team,", "Good morning,", "Hi,", "To whom it may concern,", ""]
ENDINGS = ["Thank you.", "Best regards", "Please let me know.", "I look forward to your answer.", "", ""]
THINGS = [
    "kettle",
    "lamp",
    "rucksack",
    "desk",
    "headphones",
    "jacket",
    "tent",
    "bicycle bell",
    "blanket",
    "radio",
]
QUEUES: dict[str, tuple[list[str], list[str]]] = {  # subjects, and what a message says
    "delivery": (
        ["Where is my {thing}?", "Parcel of {day}", "Order {number}", "Still waiting", "Wrong address"],
        [
            "The parcel with the {thing} has not arrived yet.",
            "Tracking has said the same since {day}.",
            "The driver left the {thing} with a neighbour I do not know.",
            "Could you send it to my office instead?",
            "It was promised for {day}.",
            "The box was open when it came.",
        ],
    ),
    "refund": (
        ["My money for the {thing}", "Order {number}", "Sent back on {day}", "Refund", "Paid twice"],
        [
            "I sent the {thing} back on {day} and have not been paid.",
            "You only paid back half of it.",
            "I was charged twice for one {thing}.",
            "Please cancel the order and return the money to my card.",
            "The voucher was not taken off the price.",
            "When will the money be in my account?",
        ],
    ),
    "fault": (
        [
            "The {thing} is broken",
            "Does not switch on",
            "Order {number}",
            "Broken after {day}",
            "Missing part",
        ],
        [
            "The {thing} stopped working on {day}.",
            "There is a crack along the side.",
            "A screw and the manual were missing from the box.",
            "It makes a noise and smells of burning.",
            "The button falls off whenever I touch it.",
            "Is that covered by the guarantee?",
        ],
    ),
    "account": (
        ["Cannot log in", "New address", "Password", "Delete my data", "Your newsletter"],
        [
            "The page says that my password is wrong.",
            "The mail with the link to reset it never comes.",
            "Please change my address to Mill Lane {number}.",
            "I want to delete my account and all my data.",
            "I do not want the newsletter any more.",
            "Somebody else seems to use my account since {day}.",
        ],
    ),
}
TAGS = {
    "urgent": ["I need it by {day} at the latest.", "This is urgent.", "Please answer today."],
    "angry": ["This is the third time I write!", "I have never seen such bad service.", "I am furious."],
    "gift": [
        "It was meant as a birthday present.",
        "It is a gift for my mother.",
        "The present is for a wedding.",
    ],
    "business": [
        "Our company ordered twelve of them.",
        "Please send the invoice to our accounts department.",
    ],
}
OFTEN = {"urgent": 0.3, "angry": 0.2, "gift": 0.15, "business": 0.12}
DAYS = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "last week",
    "the weekend",
    "12 May",
    "3 June",
]

ROOMS = ["kitchen", "bedroom", "hall", "bathroom", "living room", "study"]
SONGS = ["jazz", "the new album", "something quiet", "my running list", "a piano piece", "the Beatles"]
HOURS = ["seven", "half past six", "noon", "eight tomorrow", "ten tonight", "five in the morning"]
FOODS = ["milk", "bread", "two lemons", "coffee", "soap", "a dozen eggs"]
TOWNS = ["Lisbon", "Oslo", "here", "Turin", "the coast", "Leeds"]
PEOPLE = ["Anna", "my brother", "the dentist", "Mr Okoye", "mum", "the office"]
COMMANDS = {
    "alarm": [
        "wake me at {hour}",
        "set an alarm for {hour}",
        "alarm at {hour} please",
        "I have to get up at {hour}",
    ],
    "call": [
        "call {person}",
        "ring {person} for me",
        "get {person} on the phone",
        "I want to talk to {person}",
    ],
    "calendar": [
        "what is in my diary at {hour}",
        "put {person} in my diary for {hour}",
        "am I free at {hour}",
    ],
    "joke": [
        "tell me a joke",
        "make me laugh about {food}",
        "do you know a joke about {person}",
        "say something funny",
    ],
    "lights off": [
        "lights off in the {room}",
        "turn off the {room} lamp",
        "make the {room} dark",
        "dark in the {room}",
    ],
    "lights on": [
        "lights on in the {room}",
        "turn on the {room} lamp",
        "I cannot see in the {room}",
        "light in the {room}",
    ],
    "message": [
        "text {person} that I am late",
        "send {person} a message",
        "tell {person} I will come at {hour}",
    ],
    "music": [
        "play {song}",
        "put on {song} in the {room}",
        "I want to hear {song}",
        "some music please, {song}",
    ],
    "news": [
        "what happened today",
        "read me the news from {town}",
        "headlines please",
        "any news about {town}",
    ],
    "shopping": ["add {food} to the list", "we need {food}", "put {food} on my shopping list", "buy {food}"],
    "stop": ["stop the music", "that is enough", "be quiet in the {room}", "stop {song}", "silence please"],
    "time": [
        "what time is it in {town}",
        "how late is it",
        "tell me the time in {town}",
        "is it past {hour}",
    ],
    "timer": [
        "timer for the eggs",
        "count down to {hour}",
        "set a timer in the {room}",
        "start a timer for {food}",
    ],
    "volume": [
        "louder",
        "not so loud in the {room}",
        "turn {song} up",
        "volume down in the {room}",
        "turn it down",
    ],
    "weather": [
        "will it rain in {town}",
        "how warm is it in {town}",
        "do I need a coat at {hour}",
        "weather in {town}",
    ],
}
OTHERWISE = {
    "alarm": "get me out of bed at six; I must not sleep past eight; set the alarm clock; wake us early on Sunday",
    "call": "phone Peter; dial my sister's number; can you ring the doctor; I need to speak with Anna",
    "calendar": "do I have appointments on Friday; when do I meet Mr Okoye; note a meeting at three; what are my plans",
    "joke": "make me smile; something to laugh about; entertain me with a joke; another funny one",
    "lights off": "it is too bright in here; switch the lamps off; kill the lights in the hall; lights out",
    "lights on": "it is dark in here; switch the lamps on; brighten up the study; let there be light",
    "message": "write to Anna that the train is late; message mum; text my brother happy birthday; let the office know",
    "music": "I feel like listening to jazz; start my playlist; put a song on; play it again",
    "news": "what is going on in the world; today's headlines; is there anything new from Leeds; the news",
    "shopping": "we are out of milk; remember to get bread; put eggs on the list; I must buy coffee",
    "stop": "shut up; no more music; stop that; enough of this song",
    "time": "what is the hour; do you have the time; tell me how late it is; is it noon already",
    "timer": "give me ten minutes for the pasta; countdown of five minutes; start the kitchen timer; timer, one hour",
    "volume": "I cannot hear it; that is too loud; make it louder; turn down the radio",
    "weather": "is it cold outside; should I take an umbrella; what will the weather be like; how hot will it get",
}
FILLERS = ["", "", "", "please ", "could you ", "hey, ", "now "]


class Writer:
    """Fills phrases in, the same ones every time."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.known = {
            "thing": THINGS, "day": DAYS, "room": ROOMS, "song": SONGS, "hour": HOURS, "food": FOODS, "town": TOWNS,
            "person": PEOPLE,
        }  # fmt: skip

    def filled(self, phrase: str) -> str:
        """Return a phrase with a word in the place of every name in brackets."""
        words = {name: self.rng.choice(choices) for name, choices in self.known.items()}
        return phrase.format(number=self.rng.randint(10, 9999), **words)

    def ticket(self, number: int) -> list[str]:
        """Return a ticket: its number, customer, subject, message, queue and tags."""
        queue = self.rng.choice(list(QUEUES))
        subjects, sayings = QUEUES[queue]
        said = self.rng.sample(sayings, self.rng.randint(1, 2))
        tags = [tag for tag, share in OFTEN.items() if self.rng.random() < share]
        said += [self.rng.choice(TAGS[tag]) for tag in tags]
        message = " ".join([self.rng.choice(GREETINGS), *said, self.rng.choice(ENDINGS)]).strip()
        if self.rng.random() < WRONG:
            queue = self.rng.choice([other for other in QUEUES if other != queue])
        customer = f"C{self.rng.randint(1, 120):03}"
        subject = self.filled(self.rng.choice(subjects))
        return [f"T{number}", customer, subject, self.filled(message), queue, ";".join(tags)]


def write(folder: Path) -> None:
    """Write the tables."""
    writer = Writer(SEED)
    tickets = [writer.ticket(1000 + number) for number in range(TICKETS)]
    for place in writer.rng.sample(range(TICKETS), TWICE):
        tickets.append([f"T{1000 + len(tickets)}", *tickets[place][1:]])
    _write(folder / "tickets.csv", ["ticket", "customer", "subject", "message", "queue", "tags"], tickets)

    intents: list[list[str]] = []
    for intent, phrases in COMMANDS.items():
        texts: list[str] = []
        while len(texts) < INTENTS:
            text = writer.rng.choice(FILLERS) + writer.filled(writer.rng.choice(phrases))
            texts += [text] if text not in texts else []
        intents += [[text, intent] for text in texts]
    writer.rng.shuffle(intents)
    _write(folder / "intents-train.csv", ["text", "intent"], intents)
    tests = [[text, intent] for intent, texts in OTHERWISE.items() for text in texts.split("; ")]
    _write(folder / "intents-test.csv", ["text", "intent"], tests)


def _write(path: Path, header: list[str], lines: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *lines])


if __name__ == "__main__":
    write(SAMPLES)
