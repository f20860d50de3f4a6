"""Interpreter of the algebra over rows in memory: the executable meaning of every operator."""
