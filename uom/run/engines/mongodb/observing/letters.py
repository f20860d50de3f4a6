"""Where engines that fold case and order letters in their own way still agree with MongoDB's ICU collation.

All questions are about the set of letters that texts may hold. ICU's order of ASCII is that of the Unicode root
collation at strength 2: blanks, punctuation, symbols, digits, letters without case.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

_BLANKS = "\t\n\v\f\r "
_PUNCTUATION = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_DIGITS_AND_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANKS = {letter: rank for rank, letter in enumerate(_BLANKS + _PUNCTUATION + _DIGITS_AND_LETTERS)}
_ALPHABETS = ((0xC0, 0x17F), (0x391, 0x3C9), (0x410, 0x44F))
_ODD_ONES = frozenset("×÷ßıİŀĿŉſĳĲ\u03a2")


def has_one_case(letters: Iterable[str]) -> bool:
    """No two of the letters are equal without case, so that comparing without case changes no equality."""
    letters = set(letters)
    return all(letter.lower() in _RANKS for letter in letters) and len({x.lower() for x in letters}) == len(letters)


def fold_is_equality(letters: Iterable[str]) -> bool:
    """Folding case tells the same texts equal as ICU does: plain letters, composed accents, no compatibility forms."""
    return all(letter.lower() in _RANKS or _is_plain(letter) for letter in letters)


def _is_plain(letter: str) -> bool:
    return letter not in _ODD_ONES and any(low <= ord(letter) <= high for low, high in _ALPHABETS)


def bytes_are_in_order(letters: Iterable[str]) -> bool:
    """Comparing bytes orders texts of these letters as ICU does without case; no two are equal without case."""
    return _ascending(sorted(set(letters)))


def folded_bytes_are_in_order(letters: Iterable[str]) -> bool:
    """Comparing bytes after folding case orders texts of these letters as ICU does."""
    return _ascending(sorted({letter.lower() for letter in letters}))


def _ascending(letters: list[str]) -> bool:
    ranks = [_RANKS.get(letter.lower(), -1) for letter in letters]
    return -1 not in ranks and all(a < b for a, b in pairwise(ranks))


def case_is_simple(letters: Iterable[str]) -> bool:
    """Each letter has at most one other case and is its other case's other case: every regex engine agrees on these."""
    return all(letter.isascii() or _has_simple_case(letter) for letter in letters)


def _has_simple_case(letter: str) -> bool:
    upper, lower = letter.upper(), letter.lower()
    if len(upper) != 1 or len(lower) != 1 or ord(letter) == 0x10FFFF:
        return False
    return letter in (upper, lower) and upper.lower() == lower and lower.upper() == upper
