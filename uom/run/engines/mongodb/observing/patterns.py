r"""Regular expressions whose meaning depends on the engine.

MongoDB's engine is PCRE2 with ASCII classes. What every engine reads alike: letters as they are, escaped punctuation,
`.`, anchors, groups, alternatives, plain character sets and plain repetition. Everything else is named.
"""

from __future__ import annotations

import re
from typing import Any

from bson import Regex

_ALIKE = re.compile(
    r"""
      \\[^\w\s]                                     # escaped punctuation
    | \\[nrtf\s]
    | \[\^?\]?(?:\\[^\w\s]|\\[nrtf]|[^\\\[\]])*\]    # a set without classes in it
    | \((?:\?[:=!]|(?![?*]))
    | [*+?](?![+])\??
    | \{\d+(?:,\d*)?\}(?![+])\??
    | [^\\\[({*+?]
    | \{(?!,?\d)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPTIONS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
_COMMON_OPTIONS = frozenset("ims")


def construct_of(pattern: str, options: str) -> str:
    """The first thing that engines read differently; "" when there is none."""
    odd = sorted(set(options) - _COMMON_OPTIONS)
    if odd:
        return f"option {odd[0]}"
    position = 0
    while position < len(pattern):
        found = _ALIKE.match(pattern, position)
        if found is None:
            return pattern[position : position + 4]
        position = found.end()
    return ""


def pattern_and_options(value: Any, options: Any = "") -> tuple[str, str] | None:
    """The parts of a pattern as commands carry it; None when it is no constant."""
    extra = options if isinstance(options, str) else ""
    if isinstance(value, Regex):
        text = value.pattern if isinstance(value.pattern, str) else value.pattern.decode("utf-8", "replace")
        return text, "".join(letter for flag, letter in _OPTIONS.items() if value.flags & flag) + extra
    if isinstance(value, str):
        return value, extra
    return None


def constant_letters(pattern: str) -> frozenset[str]:
    """The letters that a pattern may compare with."""
    return frozenset(pattern) - frozenset("\\^$.|?*+()[]{}")
