"""Names in Java for names in C#, and fresh names that clash with nothing."""

from __future__ import annotations

import re
from collections.abc import Container

RESERVED = frozenset(
    """abstract assert boolean break byte case catch char class const continue default do double else enum extends
    final finally float for goto if implements import instanceof int interface long native new package private
    protected public return short static strictfp super switch synchronized this throw throws transient try void
    volatile while true false null _ var record yield sealed permits when""".split()
)
COMPONENTS_FORBIDDEN = frozenset(
    {"clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"}
)


FIELDS = frozenset({"mongo", "neo4j", "entities"})
"""Of query classes."""


def camel_case(name: str) -> str:
    """`CustomerID` -> `customerID`, `ID` -> `id`, `URLPath` -> `urlPath`: a leading run of capitals is lowered."""
    match = re.match(r"[A-Z]+", name)
    if match is None:
        return name
    run = match.group()
    if len(run) == len(name) or len(run) == 1 or not name[len(run)].isalpha():
        return run.lower() + name[len(run) :]
    return run[:-1].lower() + name[len(run) - 1 :]


def java_property_name(csharp_name: str) -> str:
    """The record component or bean property that holds a C# member; reserved words get a trailing underscore."""
    name = re.sub(r"\W", "_", camel_case(csharp_name.lstrip("@_") or csharp_name))
    return name + "_" if name in RESERVED or name in COMPONENTS_FORBIDDEN else name


def java_parameter_name(csharp_name: str) -> str:
    """Like a property; the fields that query classes have are not hidden."""
    name = java_property_name(csharp_name)
    return name + "_" if name in FIELDS else name


def java_method_name(csharp_name: str) -> str:
    """Camel case without the `Async` of C#."""
    name = csharp_name.removesuffix("Async") or csharp_name
    return java_property_name(name)


def fresh_name(hint: str, taken: Container[str]) -> str:
    """The hint, or the hint with the first number that makes it free."""
    if hint not in taken:
        return hint
    number = 2
    while f"{hint}{number}" in taken:
        number += 1
    return f"{hint}{number}"
