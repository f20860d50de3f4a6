"""A figure with its target, and ways to take time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`target` 0 means there is none."""

    name: str
    value: float
    unit: str
    target: float = 0

    def __str__(self) -> str:
        verdict = (
            ""
            if not self.target
            else f"  target {self.target:g} {self.unit}: {'met' if self.value <= self.target else 'MISSED'}"
        )
        return f"{self.name:58} {self.value:10.3f} {self.unit:3}{verdict}"


def seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def median(action: Callable[[], object], times: int) -> float:
    return statistics.median(seconds(action) for _ in range(times))
