"""Training and test parts, and folds: by label, by group, by time."""
