"""The parts of ``lindy.labs.check``: cases, comparisons, and the usual causes of a difference."""
