"""Audits of a table of labelled texts: label errors, near duplicates, leaks; and the sheet to correct it."""

from lindy.lazy import former_module

__getattr__ = former_module(__name__, "lindy.evaluation.audit.table_audit")
