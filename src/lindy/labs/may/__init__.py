"""Scripts of a lab."""
