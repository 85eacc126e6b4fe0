"""Features and linear classifiers.

LxMLS §1.3. A feature is a number that describes an object; a linear classifier weighs the features, ŷ = argmax_y
w·f(x, y). Naive Bayes turns out to be one.
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
# Write three features of a sentence: does it contain *Ronaldo*, are all its words capitalised, does it
# contain one of *amazing*, *excellent* and *:-)*? What is g(x) of "Ronaldo kicked the ball and scored an
# amazing goal!"?
#
# Hint: `lindy.features` has makers for such functions.

# %%
sentence = "Ronaldo kicked the ball and scored an amazing goal!"
g = FunctionVectorizer(
    functions=[contains("Ronaldo"), all_capitalised(), contains_any("amazing", "excellent", ":-)")]
)
x = g.fit_transform([sentence]).toarray()
print("g(x) =", x[0].astype(int).tolist())

# %% [markdown]
# ## Features of an input and an output (Eq. 1.15–1.19)
#
# The simplest joint map puts g(x) into the slot of the class: f(x, y) = g(x) ⊗ e_y. Show that a single weight
# vector w on f gives the same scores as one weight vector per class on g (Remark 1.1).
#
# Hint: np.kron(e_y, g) is the vector with g in slot y. `lindy.joint.BlockMap` makes the rows of all classes
# at once.

# %%
topics = ["arts", "politics", "sport"]
w = np.random.default_rng(0).normal(size=len(topics) * 3)
blocks = BlockMap(bias=False).fit(np.repeat(x, 3, axis=0), topics).transform(x)
for y, f in enumerate(blocks.rows.to_scipy().toarray()):
    score, own = w @ f, w.reshape(len(topics), 3)[y] @ x[0]
    print(f"{topics[y]:<9} f(x, y) = {f.astype(int).tolist()}   w·f = {score:+.4f}   w_y·g = {own:+.4f}")
    print("          it is g ⊗ e_y:", np.array_equal(f, np.kron(np.eye(len(topics))[y], x[0])))

# %% [markdown]
# ## Naive Bayes is a linear classifier (Remark 1.2)
#
# Take logarithms: log P(y) + Σ_j n_j(x)·log P(w_j | y) is linear in the counts, with weights log P(w_j | y)
# and bias log P(y). Check it on the reviews.

# %%
reviews = book_reviews()
model = MultinomialNaiveBayes().fit(reviews.X_train, reviews.y_train)
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
# Show it, and derive w_y and b_y.
#
# Hint: in (x − μ_y)² = x² − 2·x·μ_y + μ_y², the first term is the same for every class.

# %%
toy = toy_gaussians(200, variances=1.0, test_share=0.5, random_state=2)
model = GaussianNaiveBayes(variance=1.0).fit(toy.X_train, toy.y_train)
w, b = gaussian_naive_bayes.linear_form(np.exp(model.log_prior_), model.mean_, 1.0)
say("log P(y) − ‖x − μ_y‖²/2σ² = const(x) + x·μ_y/σ² + log P(y) − ‖μ_y‖²/2σ²: linear in x.")
print("w_y = μ_y/σ²:", np.allclose(model.W_, w), " b_y = log P(y) − ‖μ_y‖²/2σ²:", np.allclose(model.b_, b))
lead = toy.X_test @ (w[:, 1] - w[:, 0]) + b[1] - b[0]
print("the sign of w·x + b is the prediction:", ((lead > 0) == (model.predict(toy.X_test) == 1)).all())

# %% [markdown]
# Compare the boundary with the Bayes optimal one, x₁ + x₂ = 0, for few and for many points, and for one
# variance per class.

# %%
many = toy_gaussians(20_000, variances=1.0, random_state=2)
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
