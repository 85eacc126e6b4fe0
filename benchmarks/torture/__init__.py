"""Abuse of lindy and of its rivals: every module is one kind of it, and prints what happened."""
