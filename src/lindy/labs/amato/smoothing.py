"""Estimating probabilities: overfitting, smoothing, tuning.

Amato's slides, second part: relative frequencies overfit; Laplace and linear interpolation repair them; how much is
decided on held-out data; baselines and confidences.
"""

import math

import numpy as np

from lindy import MajorityClass, MultinomialNaiveBayes, plots
from lindy.bayes import infer, odds_ratios
from lindy.data import folds
from lindy.evaluation import calibration_error
from lindy.labs import messages, say, show, table
from lindy.text import CountVectorizer
from lindy.textbook import multinomial_naive_bayes as textbook

# %% [markdown]
# ## Two draws red, one blue
#
# Estimate P(red) by maximum likelihood and by Laplace with k = 0, 1 and 100. Check that ⅔ does maximise the
# likelihood.
#
# Hint: P_k(x) = (count(x) + k) / (N + k·|X|). k is the strength of a prior that finds all values equally
# likely.

# %%
counts = np.array([[2.0], [1.0]])
for k in (0, 1, 100):
    by_hand = textbook.laplace(counts, k)[:, 0]
    learned = np.exp(MultinomialNaiveBayes(alpha=k).fit(counts.T, ["draws"]).W_[:, 0])
    fractions = f"⟨{2 + k}/{3 + 2 * k}, {1 + k}/{3 + 2 * k}⟩"
    print(f"k = {k:<3}  {fractions} = {by_hand.round(4)}  lindy agrees: {np.allclose(by_hand, learned)}")
grid = np.linspace(0.01, 0.99, 99)
print("largest likelihood p²(1 − p) on a grid: p =", grid[(grid**2 * (1 - grid)).argmax()].round(2), "(2/3)")

# %% [markdown]
# ## Maximum a posteriori
#
# With a Dirichlet prior whose parameters are all k + 1, the most probable parameter given the data is
# Laplace's estimate. What happens to the difference from maximum likelihood as the data grows?

# %%
truth, rng = np.array([0.5, 0.3, 0.15, 0.05]), np.random.default_rng(11)
for n in (10, 1_000, 100_000):
    drawn = rng.multinomial(n, truth)[:, None]
    gap = np.abs(textbook.maximum_likelihood(drawn) - textbook.laplace(drawn, 1.0)).sum()
    print(f"{n:>7,} draws: the estimates differ by {gap:.5f} in sum")

# %% [markdown]
# ## Overfitting
#
# A picture has four telling pixels. For 2 their probabilities are 0.8, 0.1, 0.1 and 0.01, for 3 they are 0.8,
# 0.9, 0.7 and 0.0: no 3 in training had the last pixel on. Which digit wins, and which would without that
# pixel?

# %%
tables = [[0.8, 0.8], [0.1, 0.9], [0.1, 0.7], [0.01, 0.0]]
print("P(2 | picture), P(3 | picture) =", infer([0.1, 0.1], tables).posterior, "2 wins")
print("without the last pixel         =", infer([0.1, 0.1], tables[:3]).posterior.round(3))

# %% [markdown]
# The same happens with words. Which have the greatest odds ratio P(w | spam) / P(w | ham) without smoothing,
# and which with it?

# %%
data = messages()
print(data)
vectorizer = CountVectorizer(lowercase=False, token_pattern=r"[\w$]+")
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
names = vectorizer.get_feature_names_out().tolist()
for k in (0.0, 1.0):
    model = MultinomialNaiveBayes(alpha=k).fit(X, data.y_train)
    for label, other in (("spam", "ham"), ("ham", "spam")):
        ratios = odds_ratios(model, names, label, other, top=6)
        print(f"k = {k:g}, {label}:", ", ".join(f"{word} {ratio:.3g}" for word, ratio in ratios))
say(
    "Without smoothing they are words that one class happened never to use; smoothed ratios ask for frequent ones."
)

# %% [markdown]
# ## Linear interpolation
#
# P(x | y) = α·P̂(x | y) + (1 − α)·P̂(x) keeps the estimate near the overall frequency of the word. What do α
# = 0 and 1 mean?
#
# Hint: with α = 0 the classes no longer differ. With α = 1 nothing is smoothed.

# %%
for alpha in (0.0, 0.5, 0.9, 1.0):
    model = MultinomialNaiveBayes(interpolation=alpha).fit(X, data.y_train)
    spread = float(np.abs(np.diff(np.exp(model.W_), axis=1)).sum())
    print(
        f"α = {alpha:<4} difference of the classes {spread:.3f}, test accuracy {model.score(X_test, data.y_test):.3f}"
    )

# %% [markdown]
# ## Tuning on held-out data
#
# Parameters are learned from the training data, hyperparameters (k, α) must not be. Hold out a fifth at a time,
# choose k there, and look at the test data once. What would the training data have chosen?
#
# Hint: `lindy.data.folds` gives each row a part; every class has its share of each part.

# %%
strengths = (0.0, 0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0)
scores, part = [], folds(data.y_train, 5)
for k in strengths:
    pairs = []
    for number in range(5):
        kept, held = part != number, part == number
        model = MultinomialNaiveBayes(alpha=k).fit(X[kept], data.y_train[kept])
        pairs.append((model.score(X[kept], data.y_train[kept]), model.score(X[held], data.y_train[held])))
    scores.append(np.mean(pairs, axis=0).tolist())
table(("k", "training", "held out"), [(f"{k:g}", *pair) for k, pair in zip(strengths, scores, strict=True)])
best = strengths[int(np.argmax([held_out for _, held_out in scores]))]
final = MultinomialNaiveBayes(alpha=best).fit(X, data.y_train)
print(
    f"k = {best:g} is best on held-out data; on the test data it reaches {final.score(X_test, data.y_test):.3f}"
)
liked = strengths[int(np.argmax([training for training, _ in scores]))]
say(
    f"The training data would have chosen k = {liked:g}, with {scores[strengths.index(liked)][1]:.1%} held out."
)

# %% [markdown]
# ## Baseline and confidence
#
# What does the weakest classifier reach, the one that calls everything ham? And does naive Bayes' confidence,
# max_y P(y | x), come true?

# %%
baseline = MajorityClass().fit(X, data.y_train)
print(f"always {baseline.predict(X_test[:1])[0]}: {baseline.score(X_test, data.y_test):.3f}")
P = final.predict_proba(X_test)
truth = (data.y_test == "spam").astype(int)
right = final.predict(X_test) == data.y_test
print(f"mean confidence {P.max(axis=1).mean():.3f}, accuracy {right.mean():.3f}", end="; ")
print(f"calibration error {calibration_error(P, truth):.3f}")
print(f"−log likelihood per message: {-np.log(P[np.arange(len(P)), truth]).mean():.3f}", end=" ")
print(f"(coin: {math.log(2):.3f})")
sure, came_true = P.max(axis=1).mean(), right.mean()
say(f"On these messages naive Bayes is {'more' if sure > came_true else 'less'} sure than it is right.")
show(
    plots.reliability(right, P.max(axis=1)),
    "confidence",
    "How often naive Bayes is right, by how sure it was",
)
