"""Every algorithm again in plain NumPy, in the lectures' notation: to read, and to test the fast ones against."""
