"""The former name of ``lindy.feature_rows``, which leaves with the next version."""

import warnings

from lindy.feature_rows import FeatureRows as Bags
from lindy.feature_rows import are_bags

__all__ = ["Bags", "are_bags"]
warnings.warn("lindy.bags is lindy.feature_rows now, and Bags FeatureRows", DeprecationWarning, stacklevel=2)
