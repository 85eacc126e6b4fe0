r"""Naive Bayes in practice.

May 6.1, 6.2 and 7. Words that were never seen, products that become 0, and evidence that is counted twice. Words
are runs of letters and digits throughout.
"""

import math

import numpy as np

from lindy import MultinomialNaiveBayes
from lindy.labs import choose, judged, judged_table, review_texts, say, table, verdict, verdicts
from lindy.text import CountVectorizer
from lindy.textbook import multinomial_naive_bayes as textbook

data = review_texts()
print(data)

# %% [markdown]
# ## Smoothing and unknown words (6.1)
#
# A class has 10,000 tokens over a vocabulary of 500 words. *amazing* was seen, but not with this class;
# *blargh* never. Compute their probabilities with add-one smoothing,
#
# $$P(w \mid y) = \frac{n_{yw} + 1}{\sum_{w'} (n_{yw'} + 1)},$$
#
# if OOV is one more word.
#
# Hint: every one of 501 words gets one more token.

# %% given
counts = np.zeros((501, 1))  # the last two rows: amazing, OOV
counts[:499] = 20
counts[0] += 10_000 - 499 * 20

# %%
P = textbook.laplace(counts, 1.0)[:, 0]
model = MultinomialNaiveBayes(alpha=1).fit(counts.T, ["negative"])
print(f"P(amazing | negative) = 1/{1 / P[499]:,.0f}, P(OOV | negative) = 1/{1 / P[500]:,.0f}", end="; ")
print("lindy agrees:", np.allclose(np.exp(model.W_[:, 0]), P))

# %% [markdown]
# Better: let the model learn how OOV behaves, by replacing rare words of the training data with it. And subword
# units: why do they not remove the need for either? Compare three kinds of terms: words, words of which those
# seen once become OOV, and pieces of 2 to 4 letters. For each compute the share of the terms of the test reviews
# that are unknown, choose the $k$ of add-$k$ smoothing on held-out parts of the training reviews, and report the
# test accuracy.
#
# Hint: an unknown word has known pieces, but rarely all of them; and a known piece may be new to a class.
# `vectorizer.build_analyzer()` cuts a text into terms, `get_feature_names_out()` has the known ones.

# %% given
kinds = {
    "words": CountVectorizer(token_pattern=r"\w+"),
    "words, rare ones as OOV": CountVectorizer(token_pattern=r"\w+", oov=2),
    "pieces of 2 to 4 letters": CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
}

# %%
results, rows = [], []
for name, make in kinds.items():
    Z, Z_test = make.fit_transform(data.train), make.transform(data.test)
    chosen = choose(MultinomialNaiveBayes(), "alpha", (10.0, 1.0, 0.1, 0.01), Z, data.y_train)
    results.append(judged(name, chosen.model.fit(Z, data.y_train), Z_test, data.y_test))
    everything, known = make.build_analyzer(), set(make.get_feature_names_out())
    unknown = float(np.mean([term not in known for text in data.test for term in everything(text)]))
    rows.append((name, f"{chosen.best:g}", max(chosen.held_out), unknown))
table(("terms", "k", "held out", "unknown terms in test"), rows, digits=4)
judged_table("terms", results)
words, _, pieces = rows
say(
    f"Of the words {words[3]:.2%} are unknown, of the pieces {pieces[3]:.2%}.",
    *verdicts([(results[1], results[0]), (results[2], results[0])]),
)

# %% [markdown]
# ## Underflow (6.2)
#
# Multiply the thousand probabilities below. What comes out, and what with logarithms?

# %% given
probabilities = [1e-3] * 1000

# %%
print("product:", math.prod(probabilities), " sum of logs:", round(sum(map(math.log, probabilities)), 1))

# %% [markdown]
# ## What is wrong with naive Bayes (7)
#
# Nine of ten people recommend a film, but eight of them only repeat the ninth. Let every honest judge be right with
# probability 0.7. Compute what naive Bayes makes of ten judges, and what of the two who have seen the film.
#
# Hint: it multiplies nine odds of 7:3 for and one against.

# %% given
votes = {"ten judges": (9, 1), "two judges": (1, 1)}  # for, against

# %%
odds = 0.7 / 0.3
for name, (votes_for, votes_against) in votes.items():
    log_odds = (votes_for - votes_against) * math.log(odds)
    print(f"{name}: P(good film) = {1 / (1 + math.exp(-log_odds)):.4f}")

# %% [markdown]
# The same with reviews: say every test review once, twice and five times. How do the mean confidence,
# $\max_y P(y \mid x)$, and the accuracy change?
#
# Hint: the counts of a review that is said twice are two times its counts.

# %% given
vectorizer = CountVectorizer(token_pattern=r"\w+")
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
model = MultinomialNaiveBayes().fit(X, data.y_train)

# %%
rows, results = [], []
for copies in (1, 2, 5):
    P = model.predict_proba(copies * X_test)
    results.append(judged(f"said {copies} ×", model, copies * X_test, data.y_test))
    rows.append((copies, float(P.max(axis=1).mean()), str(results[-1])))
table(("times each review is said", "mean confidence", "accuracy (95 %)"), rows)
say(
    f"The mean confidence goes from {rows[0][1]:.1%} to {rows[-1][1]:.1%}: naive Bayes takes a repetition for new",
    "evidence.",
    verdict(results[-1], results[0]),
)
