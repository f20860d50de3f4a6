"""Canonical rows, equivalence, mutants, evidence."""
