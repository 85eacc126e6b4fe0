"""From texts to weighted terms."""

import numpy as np

from lindy import plots
from lindy.data import samples
from lindy.features import DictVectorizer, PatternVectorizer, TokenConjunctions
from lindy.labs import show
from lindy.text import Bm25Transformer, CountVectorizer, LogCountRatio, TfidfVectorizer
from lindy.textbook import feature_maps, text_analysis, text_patterns, weighting

# %% [markdown]
# A text becomes terms, terms are counted, and counts are weighted:
#
# $$x_{ij} = (1 + \log n_{ij}) \cdot \text{idf}_j$$
#
# $$\text{idf}_j = 1 + \log \frac{1 + n}{1 + df_j}$$
#
# Code: lindy.textbook.text_analysis.words
#
# Code: lindy.textbook.text_analysis.word_ngrams
#
# Code: lindy.textbook.text_analysis.char_wb_ngrams
#
# Words may be cut into pieces, which are learned from the words themselves:
#
# Code: lindy.textbook.byte_pairs.merged
#
# Code: lindy.textbook.byte_pairs.learn
#
# Code: lindy.textbook.byte_pairs.encode
#
# Terms are counted and weighted:
#
# Code: lindy.textbook.text_analysis.count
#
# Code: lindy.textbook.weighting.idf
#
# Code: lindy.textbook.weighting.sublinear
#
# Code: lindy.textbook.weighting.normalised
#
# Code: lindy.textbook.weighting.bm25
#
# Code: lindy.textbook.weighting.log_count_ratio
#
# What is no text may be a dictionary of numbers and strings:
#
# Code: lindy.textbook.feature_maps.dict_matrix
#
# Patterns count what words do not show: money, capitals, links.
#
# Code: lindy.textbook.text_patterns.places
#
# And what single features cannot say, their combinations can:
#
# Code: lindy.textbook.feature_maps.conjunctions
#
# Code: lindy.textbook.feature_maps.word_pairs
#
# ## The same numbers from lindy

# %%
reviews = samples.load("reviews-train")
texts, y = (
    reviews.texts.to_pylist()[:80],
    (np.array(reviews.labels.to_pylist()) == "positive")[:80].astype(int),
)
lists = [text_analysis.word_ngrams(text_analysis.words(text_analysis.fold(text)), 1, 2) for text in texts]
terms, rows = text_analysis.count(lists)
X = np.zeros((len(texts), len(terms)))
for i, row in enumerate(rows):
    X[i, list(row)] = list(row.values())
counts = CountVectorizer(ngram_range=(1, 2))
print(
    "counts agree:",
    np.array_equal(counts.fit_transform(texts).toarray(), X),
    counts.get_feature_names_out().tolist() == terms,
)
tfidf = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(texts).toarray()
print(
    "tf-idf agrees:",
    np.allclose(weighting.normalised(weighting.sublinear(X) * weighting.idf(X), "l2"), tfidf),
)
by_hand = weighting.bm25(X, df=weighting.document_frequency(X), n=len(X), average=X.sum(axis=1).mean())
print("BM25 agrees:", np.allclose(by_hand, Bm25Transformer(norm=None).fit_transform(X).toarray(), rtol=1e-5))
ratios = LogCountRatio(alpha=1.0).fit(X, y)
by_hand = weighting.log_count_ratio(X, y, 2, alpha=1.0)[:, 1]
print("log-count ratios agree:", np.allclose(ratios.ratio_[:, 0], by_hand))
examples = [{"length": 3, "city": "Rome"}, {"length": 5, "city": "Oslo", "open": ["Mon", "Tue"]}]
dicts = DictVectorizer(sparse=False)
found = dicts.fit_transform(examples)
names, by_hand = feature_maps.dict_matrix(examples)
print("dictionaries agree:", np.array_equal(found, by_hand), dicts.get_feature_names_out().tolist() == names)
vectorizer = PatternVectorizer(values="counts", length=None)
columns = [name.removeprefix("pattern=") for name in vectorizer.fit(texts).get_feature_names_out()]
by_hand = [[len(text_patterns.places(text)[name]) for name in columns] for text in texts]
print("patterns agree:", np.array_equal(vectorizer.transform(texts).toarray(), by_hand))
pairs = TokenConjunctions(window=2).fit(texts[:5])
by_hand = {p for text in texts[:5] for p in feature_maps.word_pairs(text_analysis.words(text.lower()), 2)}
print("combinations of words agree:", by_hand <= set(pairs.get_feature_names_out()))

# %%
order = np.argsort(-weighting.document_frequency(X))[[0, 1, 2, 5, 10, 20, 50, 100, 300, 900]]
ranked = [(terms[j], float(weighting.idf(X)[j])) for j in order]
show(plots.top_features(ranked, measure="idf"), "idf", "The rarer a term, the greater its weight")

# %% [markdown]
# ## When to use it
#
# Always: every learner of texts begins here. tf-idf for learners with a margin, counts for naive Bayes.
# [Text](../concepts/text.md), [weighting](../concepts/weighting.md) and [features beyond
# words](../concepts/features.md) have all options.
