"""File formats: one module each, from bytes to a table; ``registry`` has their names and extensions."""
