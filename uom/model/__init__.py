"""The vocabulary of the house: types, schema, expressions, queries, diagnostics. Imports nothing of ours."""
