"""A figure with its target, and ways to take time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`target` 0 means there is none; it is the most that is wanted, or the least."""

    name: str
    value: float
    unit: str
    target: float = 0
    at_least: bool = False

    @property
    def missed(self) -> bool:
        if not self.target:
            return False
        return self.value < self.target if self.at_least else self.value > self.target

    def __str__(self) -> str:
        bound = "at least" if self.at_least else "at most"
        verdict = f"  {bound} {self.target:g} {self.unit}: {'MISSED' if self.missed else 'met'}" if self.target else ""
        return f"{self.name:62} {self.value:10.3f} {self.unit:3}{verdict}"


def seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def median(action: Callable[[], object], times: int) -> float:
    return statistics.median(seconds(action) for _ in range(times))
