"""Databases that translated code runs against: embedded ones, and the user's own."""
