"""Weightings of counted terms: tf-idf, BM25, log-count ratios; ``weighting_registry`` has them by name."""
