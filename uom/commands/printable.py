"""Text of others on a terminal: rows, messages of exceptions, what a model says. None of it may move the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters but for tab and line feed, and those that change the direction of text."""


def printable(text: str) -> str:
    """Characters that a terminal obeys, written out: `\\x1b` instead of the start of an escape sequence."""
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


class PlainConsole(Console):
    """Styles are ours, characters are those of the text."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
