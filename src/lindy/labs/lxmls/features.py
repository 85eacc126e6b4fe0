r"""Features and linear classifiers.

LxMLS 1.3. A feature is a number that describes an object; a linear classifier weighs the features,

$$\hat y = \arg\max_y w \cdot f(x, y). \tag{1.18}$$

Naive Bayes turns out to be one.
"""

import numpy as np

from lindy import GaussianNaiveBayes, MultinomialNaiveBayes, plots
from lindy.data import toy_gaussians
from lindy.features import FunctionVectorizer, all_capitalised, contains, contains_any
from lindy.joint import BlockMap
from lindy.labs import book_reviews, say, show
from lindy.textbook import gaussian_naive_bayes

# %% [markdown]
# ## Features of an input (Eq. 1.11–1.14)
#
# Write three features of a sentence, each 1 or 0: $g_1$, it contains *Ronaldo*; $g_2$, all its words are
# capitalised; $g_3$, it contains one of *amazing*, *excellent* and *:-)*. Compute $g(x)$ of the sentence below.
#
# Hint: `FunctionVectorizer(functions=[…])` makes rows of functions; `contains`, `all_capitalised` and `contains_any`
# make such functions.

# %% given
sentence = "Ronaldo kicked the ball and scored an amazing goal!"

# %%
g = FunctionVectorizer(
    functions=[contains("Ronaldo"), all_capitalised(), contains_any("amazing", "excellent", ":-)")]
)
x = g.fit_transform([sentence]).toarray()
print("g(x) =", x[0].astype(int).tolist())

# %% [markdown]
# ## Features of an input and an output (Eq. 1.15–1.19)
#
# The simplest joint map puts $g(x)$ into the slot of the class,
#
# $$f(x, y) = g(x) \otimes e_y. \tag{1.17}$$
#
# Show for the random $w$ below that a single weight vector on $f$ gives the same scores as one weight vector
# per class on $g$ (Remark 1.1): $w \cdot f(x, y) = w_y \cdot g(x)$ (Eq. 1.19).
#
# Hint: `np.kron(e_y, g)` is the vector with g in slot y. `BlockMap` makes the rows of all classes at once.

# %% given
x = np.array([[1.0, 0.0, 1.0]])  # g(x) of the sentence
topics = ["arts", "politics", "sport"]
w = np.random.default_rng(0).normal(size=len(topics) * 3)

# %%
blocks = BlockMap(bias=False).fit(np.repeat(x, 3, axis=0), topics).transform(x)
for y, f in enumerate(blocks.rows.to_scipy().toarray()):
    score, own = w @ f, w.reshape(len(topics), 3)[y] @ x[0]
    print(f"{topics[y]:<9} f(x, y) = {f.astype(int).tolist()}   w·f = {score:+.4f}   w_y·g = {own:+.4f}")
    print("          it is g ⊗ e_y:", np.array_equal(f, np.kron(np.eye(len(topics))[y], x[0])))

# %% [markdown]
# ## Naive Bayes is a linear classifier (Remark 1.2)
#
# Take logarithms:
#
# $$\log \hat P(y) + \sum_j n_j(x) \log \hat P(w_j \mid y) \tag{1.20}$$
#
# is linear in the counts, with weights $\log \hat P(w_j \mid y)$ and bias $b_y = \log \hat P(y)$ (Eq. 1.21). Compute
# the scores $xW + b$ of the test reviews with the weights of the model below, and check that the largest is what it
# predicts. Which eight words speak most for each class?
#
# Hint: `model.W_` has a column for each class, `model.b_` the biases, and `reviews.words` the word of each row of W.

# %% given
reviews = book_reviews()
model = MultinomialNaiveBayes().fit(reviews.X_train, reviews.y_train)

# %%
scores = reviews.X_test @ model.W_ + model.b_
agree = (model.classes_[scores.argmax(axis=1)] == model.predict(reviews.X_test)).all()
print(f"argmax_y (xᵀW + b)_y is what naive Bayes predicts: {agree}")
words = np.array(reviews.words)
lead = model.W_[:, 1] - model.W_[:, 0]
for label, order in (("positive", np.argsort(-lead)), ("negative", np.argsort(lead))):
    print(f"speak most for {label}:", ", ".join(words[order[:8]]))

# %% [markdown]
# ## Exercise 1.3: so is Gaussian naive Bayes with a shared variance
#
# Derive $w_y$ and $b_y$ so that $\log P(y) - \lVert x - \mu_y \rVert^2 / 2\sigma^2$ is $w_y \cdot x + b_y$ plus
# something that is the same for all classes. Compute them from the estimates of the model below, and compare with its
# weights and predictions.
#
# Hint: in $(x - \mu_y)^2 = x^2 - 2 x \mu_y + \mu_y^2$, the first term is the same for every class.

# %% given
toy = toy_gaussians(200, variances=1.0, test_share=0.5, random_state=2)
model = GaussianNaiveBayes(variance=1.0).fit(toy.X_train, toy.y_train)  # log_prior_, mean_; W_, b_

# %%
w, b = gaussian_naive_bayes.linear_form(np.exp(model.log_prior_), model.mean_, 1.0)
say("log P(y) − ‖x − μ_y‖²/2σ² = const(x) + x·μ_y/σ² + log P(y) − ‖μ_y‖²/2σ²: linear in x.")
print("w_y = μ_y/σ²:", np.allclose(model.W_, w), " b_y = log P(y) − ‖μ_y‖²/2σ²:", np.allclose(model.b_, b))
lead = toy.X_test @ (w[:, 1] - w[:, 0]) + b[1] - b[0]
print("the sign of w·x + b is the prediction:", ((lead > 0) == (model.predict(toy.X_test) == 1)).all())

# %% [markdown]
# Compare the boundary with the Bayes optimal one, $x_1 + x_2 = 0$, for 100 and for 10,000 points, and for one
# variance per class: draw all three, and compute by how many degrees the two lines are turned.
#
# Hint: the line is at right angles to $u = w_1 - w_0$, the best one to (1, 1): the angle between the two follows from
# their product and their lengths.

# %% given
many = toy_gaussians(20_000, variances=1.0, random_state=2)  # half of them to train on

# %%
models = {
    "100 points": model,
    "10,000 points": GaussianNaiveBayes(variance=1.0).fit(many.X_train, many.y_train),
    "100 points, variance per class": GaussianNaiveBayes().fit(toy.X_train, toy.y_train),
}
show(plots.decision_boundary(models, toy), "exercise-1-3", "Exercise 1.3: estimated and optimal boundaries")


def angle(model: GaussianNaiveBayes) -> float:
    """Return by how many degrees the boundary is turned against the best one."""
    u = model.W_[:, 1] - model.W_[:, 0]
    return float(np.degrees(np.arccos(u.sum() / np.linalg.norm(u) / np.sqrt(2))))


few, large = angle(models["100 points"]), angle(models["10,000 points"])
say(
    f"The line of 100 points is turned by {few:.1f}° against the best one, that of 10,000 by {large:.1f}°.",
    "With one variance per class the boundary is a curve, and the classifier is not linear.",
)
