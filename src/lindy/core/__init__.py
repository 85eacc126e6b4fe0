"""Data that packages pass on: sparse rows, columns of texts, feature rows, images, targets, weights, column names."""
