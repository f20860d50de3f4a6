r"""Regular expressions for text searches, escaped character by character.

`\Q...\E` is avoided: only PCRE knows it. The end of a text is `$(?!\n)`, because `$` alone also matches before a
final line feed.
"""

from __future__ import annotations

import re

from uom.model.diagnostics import Refusal

_SPECIAL = frozenset(r"\^$.|?*+()[]{}-#/")
END = r"$(?!\n)"


def escaped(text: str) -> str:
    """The text as a regular expression that matches just it."""
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in text)


def text_regex(text: str, kind: str) -> str:
    """`kind` is "contains", "starts", "ends" or "equals"."""
    start = "^" if kind in ("starts", "equals") else ""
    end = END if kind in ("ends", "equals") else ""
    return start + escaped(text) + end


def like_regex(pattern: str, escape: str, provider: str = "") -> str:
    """A SQL LIKE pattern as an anchored regular expression (option `s`: a dot matches a line feed too)."""
    out: list[str] = []
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == escape and escape:
            position += 1
            if position == len(pattern):
                raise Refusal("LIKE", "the pattern ends with its escape character")
            out.append(escaped(pattern[position]))
        elif char == "[" and provider == "sqlserver":
            raise Refusal("LIKE", "character classes like [a-z] are not supported")
        else:
            out.append({"%": ".*", "_": "."}.get(char) or escaped(char))
        position += 1
    return _unanchored("".join(out))


def _unanchored(regex: str) -> str:
    """`^.*x.*$` as `x`: what a leading or trailing % matches need not be matched at all."""
    head = re.match(r"(?:\.\*)+", regex)
    regex = regex[head.end() :] if head else "^" + regex
    return regex.removesuffix(".*") if regex.endswith(".*") else regex + END
