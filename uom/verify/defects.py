"""A defect of ours in one method loses that method only: it is named as such, and the others are judged all the same."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from uom.run.failures import EnvironmentFailure

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Defect:
    """What went wrong, as it is told."""

    text: str


def attempt(work: Callable[[], T], expected: type[Exception] = EnvironmentFailure) -> T | Defect:
    """What `work` returns. What is `expected`, and failures of the input or of the surroundings, are raised on."""
    try:
        return work()
    except (expected, EnvironmentFailure, OSError, MemoryError):
        raise
    except Exception as error:
        if hasattr(error, "diagnostic"):  # it has a message for the user
            raise
        if os.environ.get("UOM_DEBUG"):
            traceback.print_exc()
        told = f"{type(error).__name__}: {error}"
        return Defect(f"a defect of ours ({told[:300]}); please report it, UOM_DEBUG=1 shows where")
