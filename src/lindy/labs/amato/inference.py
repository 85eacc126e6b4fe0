r"""Naive Bayes: from tables of probabilities to a decision.

Amato's slides, first part: what a generative model needs, inference in three steps, the digits' tables, and the spam
example added up word by word.
"""

import numpy as np

from lindy import MultinomialNaiveBayes
from lindy.bayes import document_totals, infer, running_totals, word_probabilities
from lindy.labs import messages, table
from lindy.text import CountVectorizer

# %% [markdown]
# ## How many parameters?
#
# A full joint table of a label with $|Y|$ values and $n$ features with $|F|$ values each has $|Y| \cdot |F|^n$ entries.
# Naive Bayes,
#
# $$P(Y, F_1 \ldots F_n) = P(Y) \prod_i P(F_i \mid Y),$$
#
# needs $|Y| + n \cdot |F| \cdot |Y|$. How many is that for ten digits and 16 × 16 pixels that are on or off?

# %% given
n, values, labels = 16 * 16, 2, 10

# %%
print(f"full table: {labels} · 2^{n} = about 10^{np.log10(labels) + n * np.log10(values):.0f}")
print(f"naive Bayes: {labels + n * values * labels:,}")

# %% [markdown]
# ## Inference in three steps
#
# Ten digits are equally frequent. For two pixels the probability to be on is given for each digit:
#
# | digit | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 0 |
# | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
# | $P(F_{3,1} = \text{on} \mid y)$ | 0.01 | 0.05 | 0.05 | 0.30 | 0.80 | 0.90 | 0.05 | 0.60 | 0.50 | 0.80 |
# | $P(F_{5,5} = \text{on} \mid y)$ | 0.05 | 0.01 | 0.90 | 0.80 | 0.90 | 0.90 | 0.25 | 0.85 | 0.60 | 0.80 |
#
# Both are on: which digit is it? Compute the joint probability $P(y, f)$ of label and evidence for each label
# (step 1), its sum $P(f)$ (step 2), and the quotient $P(y \mid f)$ (step 3).
#
# Hint: a pixel that was not looked at contributes a factor of 1, the sum over its values. lindy's
# `infer(prior, tables)` does all three steps.

# %% given
digit = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
pixel_31 = [0.01, 0.05, 0.05, 0.30, 0.80, 0.90, 0.05, 0.60, 0.50, 0.80]
pixel_55 = [0.05, 0.01, 0.90, 0.80, 0.90, 0.90, 0.25, 0.85, 0.60, 0.80]

# %%
found = infer([0.1] * 10, [pixel_31, pixel_55])
table(
    ("digit", "P(y, f)", "P(y | f)"),
    list(zip(map(str, digit), found.joint, found.posterior, strict=True)),
    digits=4,
)
print(f"P(f) = {found.evidence:.4f}; the most probable digit is {digit[int(found.posterior.argmax())]}")

# %% [markdown]
# ## The spam example
#
# A third of all mail is spam, and the words of a message have the probabilities
#
# | word | Gary | would | you | like | to | lose | weight | while | sleep |
# | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
# | $P(w \mid \text{spam})$ | 0.00002 | 0.00069 | 0.00881 | 0.00086 | 0.01517 | 0.00008 | 0.00016 | 0.00027 | 0.00006 |
# | $P(w \mid \text{ham})$ | 0.00021 | 0.00084 | 0.00304 | 0.00083 | 0.01339 | 0.00002 | 0.00002 | 0.00027 | 0.00001 |
#
# Add the logarithms word by word for "Gary would you like to lose weight while you sleep", for spam and for ham. How
# probable is spam?
#
# Hint: the running totals are $\log P(y) + \sum \log P(w \mid y)$. From the last ones,
# $P(\text{spam} \mid x) = 1 / (1 + \exp(\text{ham} - \text{spam}))$.
#
# Correction: the slide ends in 98.9 %, the answer for its totals −76.0 and −80.5, which come from
# probabilities that the slide shows rounded to five digits. From the rounded ones it is 98.7 %: 0.00001 may
# have been anything from 0.000005 to 0.000015.

# %% given
words = {  # P(w | spam), P(w | ham)
    "Gary": (0.00002, 0.00021),
    "would": (0.00069, 0.00084),
    "you": (0.00881, 0.00304),
    "like": (0.00086, 0.00083),
    "to": (0.01517, 0.01339),
    "lose": (0.00008, 0.00002),
    "weight": (0.00016, 0.00002),
    "while": (0.00027, 0.00027),
    "sleep": (0.00006, 0.00001),
}
message = ["Gary", "would", "you", "like", "to", "lose", "weight", "while", "you", "sleep"]

# %%
print(running_totals(("spam", "ham"), (0.33333, 0.66666), [(word, words[word]) for word in message]))
print(f"from the printed totals: {1 / (1 + np.exp(-80.5 + 76.0)):.1%}")

# %% [markdown]
# ## A spam filter from data
#
# In a bag of words all positions share one distribution $P(w \mid y)$, so the order of the words plays no role.
# Learn the tables from messages, with one added to every count: the prior, the eight most frequent words of each
# class, and the running totals of the new message below. What changes if its words are said backwards?
#
# Hint: `MultinomialNaiveBayes`, `word_probabilities` and `document_totals`.

# %% given
data = messages()
print(data)
vectorizer = CountVectorizer()
X = vectorizer.fit_transform(data.train)
new = ["call", "now", "and", "claim", "the", "free", "book", "on", "the", "phone"]

# %%
names = vectorizer.get_feature_names_out().tolist()
filter_ = MultinomialNaiveBayes().fit(X, data.y_train)
print(
    "P(y):", dict(zip(filter_.classes_.tolist(), np.exp(filter_.log_prior_).round(2).tolist(), strict=True))
)
for label in filter_.classes_.tolist():
    top = word_probabilities(filter_, names, label, top=8)
    print(f"P(w | {label}):", ", ".join(f"{word} {p:.4f}" for word, p in top))
print()
print(document_totals(filter_, names, new))
for said, order in (("forwards", new), ("backwards", new[::-1])):
    P = filter_.predict_proba(vectorizer.transform([" ".join(order)]))[0]
    print(f"{said}: {dict(zip(filter_.classes_.tolist(), P.round(3).tolist(), strict=True))}")
