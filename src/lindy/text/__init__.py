"""Text to features: weights of counted words."""

from lindy.text.weighting import TfidfTransformer

__all__ = ["TfidfTransformer"]
