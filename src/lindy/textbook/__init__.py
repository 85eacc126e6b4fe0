"""Every algorithm again in plain NumPy, in the lectures' notation: to read, and to test the fast ones against.

The documentation has a page for each: its formula, this code, a picture, and the call of lindy that gives the same
numbers.
"""
