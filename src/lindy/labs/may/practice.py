"""Naive Bayes in practice.

May §6.1, §6.2 and §7. Words that were never seen, products that become 0, and evidence that is counted twice.
"""

import math

import numpy as np

from lindy import MultinomialNaiveBayes
from lindy.labs import review_texts, say, table
from lindy.text import CountVectorizer
from lindy.textbook import multinomial_naive_bayes as textbook

data = review_texts()
print(data)

# %% [markdown]
# ## Smoothing and unknown words (§6.1)
#
# A class has 10,000 tokens over a vocabulary of 500 words. *amazing* was seen, but not with this class;
# *blargh* never. What are their probabilities with add-one smoothing, if OOV is one more word?
#
# Hint: every one of 501 words gets one more token.

# %%
counts = np.zeros((501, 1))  # the last two rows: amazing, OOV
counts[:499] = 20
counts[0] += 10_000 - 499 * 20
P = textbook.laplace(counts, 1.0)[:, 0]
model = MultinomialNaiveBayes(alpha=1).fit(counts.T, ["negative"])
print(f"P(amazing | negative) = 1/{1 / P[499]:,.0f}, P(OOV | negative) = 1/{1 / P[500]:,.0f}", end="; ")
print("lindy agrees:", np.allclose(np.exp(model.W_[:, 0]), P))

# %% [markdown]
# Better: let the model learn how OOV behaves, by replacing rare words of the training data with it. And
# subword units: why do they not remove the need for either?
#
# Hint: an unknown word has known pieces, but rarely all of them; and a known piece may be new to a class.

# %%
rows = []
for name, make in {
    "add one": CountVectorizer(token_pattern=r"\w+"),
    "words seen once become OOV": CountVectorizer(token_pattern=r"\w+", oov=2),
    "pieces of 2 to 4 letters": CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
}.items():
    Z, Z_test = make.fit_transform(data.train), make.transform(data.test)
    model = MultinomialNaiveBayes().fit(Z, data.y_train)
    everything = make.build_analyzer()
    known = set(make.get_feature_names_out())
    unknown = float(np.mean([term not in known for text in data.test for term in everything(text)]))
    rows.append((name, model.score(Z_test, data.y_test), unknown))
table(("terms", "test accuracy", "unknown terms in test"), rows)
words, _, pieces = rows
say(f"Of the words {words[2]:.2%} are unknown, of the pieces {pieces[2]:.2%}: fewer, but not none.")

# %% [markdown]
# ## Underflow (§6.2)
#
# Multiply a thousand probabilities of 1/1000. What comes out, and what with logarithms?

# %%
print(
    "product:", math.prod([1e-3] * 1000), " sum of logs:", round(sum(math.log(1e-3) for _ in range(1000)), 1)
)

# %% [markdown]
# ## What is wrong with naive Bayes (§7)
#
# Nine of ten people recommend a film, but eight of them only repeat the ninth. What does naive Bayes make of
# it? Let every honest judge be right with probability 0.7.
#
# Hint: it multiplies nine odds of 7:3 for and one against, though only two people have seen the film.

# %%
odds = 0.7 / 0.3
for name, votes_for, votes_against in (("ten judges", 9, 1), ("two judges", 1, 1)):
    log_odds = (votes_for - votes_against) * math.log(odds)
    print(f"{name}: P(good film) = {1 / (1 + math.exp(-log_odds)):.4f}")
vectorizer = CountVectorizer()
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
model = MultinomialNaiveBayes().fit(X, data.y_train)
rows = []
for copies in (1, 2, 5):
    P = model.predict_proba(copies * X_test)
    rows.append((copies, float(P.max(axis=1).mean()), model.score(copies * X_test, data.y_test)))
table(("times each review is said", "mean confidence", "accuracy"), rows)
say(
    f"Saying everything five times raises the mean confidence from {rows[0][1]:.1%} to {rows[-1][1]:.1%},",
    f"and the accuracy from {rows[0][2]:.1%} to {rows[-1][2]:.1%}: naive Bayes takes a repetition for new evidence.",
)
