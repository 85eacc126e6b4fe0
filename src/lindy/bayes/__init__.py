"""Generative classifiers: P(y) and P(x | y) are counted, Bayes' rule does the rest."""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.bayes.bernoulli import BernoulliNaiveBayes as BernoulliNaiveBayes
    from lindy.bayes.categorical import CategoricalNaiveBayes as CategoricalNaiveBayes
    from lindy.bayes.complement import ComplementNaiveBayes as ComplementNaiveBayes
    from lindy.bayes.gaussian import GaussianNaiveBayes as GaussianNaiveBayes
    from lindy.bayes.inference import Inference as Inference
    from lindy.bayes.inference import infer as infer
    from lindy.bayes.multinomial import MultinomialNaiveBayes as MultinomialNaiveBayes
    from lindy.bayes.teaching_tables import document_totals as document_totals
    from lindy.bayes.teaching_tables import odds_ratios as odds_ratios
    from lindy.bayes.teaching_tables import running_totals as running_totals
    from lindy.bayes.teaching_tables import word_probabilities as word_probabilities
