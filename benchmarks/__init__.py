"""Timings worth quoting, each beside its target or beside the other way of doing the same."""
