"""Training and test parts, and k folds: stratified by label, grouped, or by time."""
