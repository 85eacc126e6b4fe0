"""Choosing recipes on held-out texts: the automatic recipe, and searches over representation, learner and strength."""
