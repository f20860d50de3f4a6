"""Expected failures of the surroundings: a missing part, no network, a program that does not start."""

from __future__ import annotations


class EnvironmentFailure(Exception):
    """Something outside the user's code went wrong. `remedy` is what the user can do about it."""

    def __init__(self, what: str, why: str, remedy: str) -> None:
        super().__init__(f"{what}: {why}\n{remedy}" if remedy else f"{what}: {why}")
        self.what = what
        self.why = why
        self.remedy = remedy
