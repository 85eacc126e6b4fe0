r"""More than words.

Amato's slides on features, and on what to do about errors: words are not enough. Mails have senders, links and capital
letters.
"""

import re

import numpy as np

from lindy import SVM, MultinomialNaiveBayes
from lindy.data.mail import MailWords, read_message
from lindy.features import FunctionVectorizer, PatternVectorizer, feature
from lindy.labs import choose, judged, messages, say, table, verdicts
from lindy.text import CountVectorizer, UnionVectorizer
from lindy.textbook import text_patterns as textbook

# %% [markdown]
# ## A feature vector
#
# Four features of a mail: how often it says *free*, whether it has your name (Ada), how many words are
# misspelled, whether it is from a friend. Write them as functions, compute $f(x)$ of the mail below, and its
# activation $w \cdot f(x)$ with the weights 4, −1, 1 and −3.
#
# Hint: a feature function takes an example and returns a number; `@feature(name=…)` names it, and
# `FunctionVectorizer(functions=[…])` makes rows.

# %% given
mail = {
    "from": "capabilities@ink.example",
    "text": "Dear customer, FREE ink for your printer! Order now and recieve another one free, tell your freinds.",
}
KNOWN_MISSPELLINGS = {"recieve", "freinds", "adress", "definately"}
FRIENDS = {"grace@friends.example"}


# %%
@feature(name="# free")
def free(x: dict) -> int:
    """Count the word, in upper or lower case."""
    return len(re.findall(r"\bfree\b", x["text"].lower()))


@feature(name="YOUR_NAME")
def your_name(x: dict) -> int:
    """Return whether the mail knows the name."""
    return int("Ada" in x["text"])


@feature(name="MISSPELLED")
def misspelled(x: dict) -> int:
    """Count known misspellings."""
    return sum(word in KNOWN_MISSPELLINGS for word in re.findall(r"\w+", x["text"].lower()))


@feature(name="FROM_FRIEND")
def from_friend(x: dict) -> int:
    """Return whether the sender is known."""
    return int(x["from"] in FRIENDS)


f = FunctionVectorizer(functions=[free, your_name, misspelled, from_friend])
row = f.fit_transform([mail]).toarray()[0]
print(
    dict(zip(f.get_feature_names_out().tolist(), row.astype(int).tolist(), strict=True)),
    "→ activation",
    row @ [4, -1, 1, -3],
)

# %% [markdown]
# ## What a message says without words
#
# Read the raw message below. Is the sender among the contacts? Does a link show another address than the one it leads
# to? How much of it is in capitals, and is there talk of money?
#
# Hint: `read_message` takes it apart, and `MailWords(headers=(), contacts=…).seen(message)` turns all of that
# into words, so that every learner can use it. Raw mail comes from strangers: nothing in it is run or fetched.

# %% given
raw = b"""From: "Your bank" <security@bank-alerts.example>
Subject: ACT NOW
Content-Type: text/html; charset=utf-8

<p>CONFIRM your account TODAY and receive <b>$50</b>: <a href="http://10.0.0.1/login">www.bank.example</a>"""
contacts = frozenset({"grace@friends.example"})

# %%
message = read_message(raw)
print(message.sender, message.links)
words = MailWords(headers=(), contacts=contacts)
print([word for word in words.seen(message) if not word.startswith(("has_", "tag_", "part_", "charset_"))])

# %% [markdown]
# ## Do they help?
#
# Patterns are features, too: \$dd, CAPS. Add counts of amounts of money, words in capitals, exclamation marks
# and numbers to the words of the messages. Train naive Bayes and an SVM on the words, on the patterns and on both, with
# $k$ and $C$ chosen on held-out parts of the training messages. Are they better in the test with both?
#
# Hint: `UnionVectorizer` puts features beside each other.

# %% given
names = ["money", "capitals", "exclamation", "number"]
patterns = PatternVectorizer(patterns=names, values="counts", length=None)
data = messages()
print(data)
kinds = {
    "words": CountVectorizer(),
    "patterns": patterns,
    "both": UnionVectorizer(vectorizers=[("word", CountVectorizer()), ("pattern", patterns)]),
}
learners = {
    "naive Bayes": (MultinomialNaiveBayes(), "alpha", (10.0, 1.0, 0.1)),
    "SVM": (SVM(loss="hinge", tol=1e-2), "C", (0.01, 0.1, 1.0)),
}

# %%
rows, results = [], {}
for kind, vectorizer in kinds.items():
    X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
    for name, (learner, option, values) in learners.items():
        model = choose(learner, option, values, X, data.y_train).model.fit(X, data.y_train)
        results[name, kind] = judged(f"{name}, {kind}", model, X_test, data.y_test)
    rows.append((kind, X.shape[1], *(str(results[name, kind]) for name in learners)))
table(("features", "columns", *(f"{name} (95 %)" for name in learners)), rows)
say(
    *verdicts([(results[name, "both"], results[name, "words"]) for name in learners]),
    "Naive Bayes takes all features for counts of the same kind; a discriminative learner does not mind.",
)
rows = patterns.transform(data.train)
ham, spam = (np.ravel(rows[data.y_train == label].mean(axis=0)).tolist() for label in ("ham", "spam"))
table(("mean per message", "ham", "spam"), list(zip(names, ham, spam, strict=True)), digits=2)
places = textbook.places("WIN $500 NOW!")
print("the textbook finds in 'WIN $500 NOW!':", {name: places[name] for name in names})
