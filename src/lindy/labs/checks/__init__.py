"""What ``lindy.labs.check`` is made of: cases, comparisons, and the usual causes of a difference."""
