"""Measurements against other toolkits."""
