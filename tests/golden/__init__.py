"""Runs folders of C# methods with known rows through the whole house; see `python -m tests.golden --help`."""
