"""The former name of ``lindy.core.feature_rows``, which leaves with the next version."""

import warnings

from lindy.core.feature_rows import FeatureRows as Bags
from lindy.core.feature_rows import are_feature_rows as are_bags

__all__ = ["Bags", "are_bags"]
warnings.warn(
    "lindy.bags is lindy.core.feature_rows now, and Bags FeatureRows", DeprecationWarning, stacklevel=2
)
