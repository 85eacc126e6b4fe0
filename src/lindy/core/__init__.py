"""Data that packages pass on: sparse rows, columns of texts, feature rows and images, labels, names of columns."""
