"""Models for people without Python: pages and services."""
