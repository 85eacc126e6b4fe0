r"""Estimating probabilities: overfitting, smoothing, tuning.

Amato's slides, second part: relative frequencies overfit; Laplace and linear interpolation repair them; how much is
decided on held-out data; baselines and confidences.
"""

import math

import numpy as np

from lindy import MajorityClass, MultinomialNaiveBayes, plots
from lindy.bayes import infer, odds_ratios
from lindy.evaluation import calibration_error
from lindy.labs import choose, judged, judged_table, messages, say, show, table, verdict
from lindy.text import CountVectorizer
from lindy.textbook import multinomial_naive_bayes as textbook

# %% [markdown]
# ## Two draws red, one blue
#
# Estimate $P(\text{red})$ by maximum likelihood and by Laplace with $k$ = 0, 1 and 100,
#
# $$P_{\text{LAP},k}(x) = \frac{c(x) + k}{N + k |X|}.$$
#
# Check on a grid that ⅔ does maximise the likelihood $p^2 (1 - p)$.
#
# Hint: $k$ is the strength of a prior that finds all values equally likely.

# %% given
counts = np.array([[2.0], [1.0]])  # red, blue
grid = np.linspace(0.01, 0.99, 99)

# %%
for k in (0, 1, 100):
    by_hand = textbook.laplace(counts, k)[:, 0]
    learned = np.exp(MultinomialNaiveBayes(alpha=k).fit(counts.T, ["draws"]).W_[:, 0])
    fractions = f"⟨{2 + k}/{3 + 2 * k}, {1 + k}/{3 + 2 * k}⟩"
    print(f"k = {k:<3}  {fractions} = {by_hand.round(4)}  lindy agrees: {np.allclose(by_hand, learned)}")
print("largest likelihood p²(1 − p) on a grid: p =", grid[(grid**2 * (1 - grid)).argmax()].round(2), "(2/3)")

# %% [markdown]
# ## Maximum a posteriori
#
# $$\theta_{\text{MAP}} = \arg\max_\theta P(X \mid \theta)\, P(\theta)$$
#
# With a Dirichlet prior whose parameters are all $k + 1$, the most probable parameter given the data is Laplace's
# estimate. Draw 10, 1,000 and 100,000 times from the distribution below: by how much do both estimates ($k$ = 1)
# differ, in sum over the values?

# %% given
truth, rng = np.array([0.5, 0.3, 0.15, 0.05]), np.random.default_rng(11)
drawn = rng.multinomial(10, truth)  # how often each value was drawn, of 10

# %%
for n in (10, 1_000, 100_000):
    drawn = rng.multinomial(n, truth)[:, None]
    gap = np.abs(textbook.maximum_likelihood(drawn) - textbook.laplace(drawn, 1.0)).sum()
    print(f"{n:>7,} draws: the estimates differ by {gap:.5f} in sum")

# %% [markdown]
# ## Overfitting
#
# A picture has four telling pixels. For 2 their probabilities are 0.8, 0.1, 0.1 and 0.01, for 3 they are 0.8,
# 0.9, 0.7 and 0.0: no 3 in training had the last pixel on. Each digit has a prior of 0.1. Compute $P(2 \mid x)$ and
# $P(3 \mid x)$, with and without that pixel.

# %% given
tables = [[0.8, 0.8], [0.1, 0.9], [0.1, 0.7], [0.01, 0.0]]  # of each pixel: for 2, for 3

# %%
print("P(2 | picture), P(3 | picture) =", infer([0.1, 0.1], tables).posterior, "2 wins")
print("without the last pixel         =", infer([0.1, 0.1], tables[:3]).posterior.round(3))

# %% [markdown]
# The same happens with words. Which six have the greatest odds ratio
# $P(w \mid \text{spam}) / P(w \mid \text{ham})$, and which the greatest
# $P(w \mid \text{ham}) / P(w \mid \text{spam})$, without smoothing and with $k$ = 1?
#
# Hint: `odds_ratios(model, names, "spam", "ham", top=6)`.

# %% given
data = messages()
print(data)
vectorizer = CountVectorizer(lowercase=False, token_pattern=r"[\w$]+")
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
names = vectorizer.get_feature_names_out().tolist()

# %%
infinite = []
for k in (0.0, 1.0):
    model = MultinomialNaiveBayes(alpha=k).fit(X, data.y_train)
    for label, other in (("spam", "ham"), ("ham", "spam")):
        ratios = odds_ratios(model, names, label, other, top=6)
        print(f"k = {k:g}, {label}:", ", ".join(f"{word} {ratio:.3g}" for word, ratio in ratios))
        infinite.append(sum(np.isinf(ratio) for _, ratio in ratios))
say(
    f"Without smoothing {infinite[0] + infinite[1]} of these twelve ratios are infinite: a word that one",
    "class happened",
    f"never to use decides alone. With k = 1, {infinite[2] + infinite[3]} are.",
)

# %% [markdown]
# ## Linear interpolation
#
# $$P_{\text{LIN}}(x \mid y) = \alpha \hat P(x \mid y) + (1 - \alpha) \hat P(x)$$
#
# keeps the estimate near the overall frequency of the word. What do α = 0 and 1 mean? Compute for α = 0, 0.5, 0.9
# and 1 by how much the classes differ, $\sum_w |P(w \mid \text{spam}) - P(w \mid \text{ham})|$, and the accuracy
# on held-out parts of the training messages.
#
# Hint: with α = 0 the classes no longer differ. With α = 1 nothing is smoothed.
# `MultinomialNaiveBayes(interpolation=…)`.

# %% given
shares = (0.0, 0.5, 0.9, 1.0)

# %%
linear = choose(MultinomialNaiveBayes(), "interpolation", shares, X, data.y_train)
rows = []
for alpha, training, held_out in zip(shares, linear.training, linear.held_out, strict=True):
    W = MultinomialNaiveBayes(interpolation=alpha).fit(X, data.y_train).W_
    rows.append((f"{alpha:g}", float(np.abs(np.diff(np.exp(W), axis=1)).sum()), training, held_out))
table(("α", "difference of the classes", "training", "held out"), rows)

# %% [markdown]
# ## Tuning on held-out data
#
# Parameters are learned from the training data, hyperparameters ($k$, α) must not be. Hold out a fifth at a time,
# choose $k$ there among the values below, and look at the test data once: for this $k$, and for the α that did
# best. Would the training data have chosen the same?
#
# Hint: `choose(MultinomialNaiveBayes(), "alpha", values, X, y)`; `lindy.data.folds` gives each row a part, of
# which every class has its share.

# %% given
strengths = (20.0, 5.0, 2.0, 1.0, 0.5, 0.1, 0.01, 0.001, 0.0)

# %%
chosen = choose(MultinomialNaiveBayes(), "alpha", strengths, X, data.y_train)
chosen.show("k")
final = chosen.model.fit(X, data.y_train)
results = [
    judged(f"Laplace, k = {chosen.best:g}", final, X_test, data.y_test),
    judged(f"interpolation, α = {linear.best:g}", linear.model.fit(X, data.y_train), X_test, data.y_test),
]
judged_table("chosen", results)
most = max(chosen.training)
liked = [f"{k:g}" for k, training in zip(strengths, chosen.training, strict=True) if training == most]
tie = f"with {most:.1%} right for each of k = {', '.join(liked)} it does not tell them apart"
say(
    f"The training data cannot choose: {tie}."
    if len(liked) > 1
    else f"The training data prefers k = {liked[0]}.",
    f"What was held out prefers k = {chosen.best:g}.",
    verdict(*results),
)

# %% [markdown]
# ## Baseline and confidence
#
# What does the weakest classifier reach, the one that calls everything ham? And does naive Bayes' confidence,
#
# $$\text{confidence}(x) = \max_y P(y \mid x),$$
#
# come true? Compare its mean with the accuracy, compute the mean of $-\log P(y \mid x)$, and draw how often it is
# right by how sure it was.
#
# Hint: `MajorityClass`, `calibration_error`, `plots.reliability`.

# %% given
baseline = MajorityClass().fit(X, data.y_train)
bayes = MultinomialNaiveBayes(alpha=1.0).fit(X, data.y_train)

# %%
always = judged(f"always {baseline.predict(X_test[:1])[0]}", baseline, X_test, data.y_test)
found = judged("naive Bayes", bayes, X_test, data.y_test)
judged_table("", (always, found))
P = bayes.predict_proba(X_test)
truth = (data.y_test == "spam").astype(int)
sure, (low, high) = P.max(axis=1).mean(), found.interval
print(f"mean confidence {sure:.3f}, accuracy {found.accuracy:.3f}", end="; ")
print(f"calibration error {calibration_error(P, truth):.3f}")
print(f"−log likelihood per message: {-np.log(P[np.arange(len(P)), truth]).mean():.3f}", end=" ")
print(f"(coin: {math.log(2):.3f})")
if low <= sure <= high:
    told = "lies within the interval of its accuracy: these messages do not tell whether it is too sure"
else:
    told = (
        f"lies outside the interval of its accuracy: it is {'too sure' if sure > high else 'not sure enough'}"
    )
say(verdict(found, always), f"The mean confidence of naive Bayes, {sure:.1%}, {told}.")
show(
    plots.reliability(found.right, P.max(axis=1)),
    "confidence",
    "How often naive Bayes is right, by how sure it was",
)
