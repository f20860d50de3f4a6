"""Which statements may pass while translated code is verified.

The server itself refuses to write, because the relay opens every transaction for reading. What is left for us are
things that a reading transaction may do all the same: procedures, administration, files and addresses.
"""

from __future__ import annotations

import re

READ_PROCEDURES = frozenset(
    """
    db.labels db.relationshiptypes db.propertykeys db.schema.visualization db.schema.nodetypeproperties
    db.schema.reltypeproperties db.info db.ping dbms.components db.index.fulltext.querynodes
    db.index.fulltext.queryrelationships db.index.vector.querynodes db.index.vector.queryrelationships
    """.split()
)
_ADMINISTRATION = frozenset(
    """
    alter create deallocate deny drop dryrun enable grant reallocate rename revoke show start stop terminate
    """.split()
)
_QUOTED = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:``|[^`])*`|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_ESCAPE = re.compile(r"(?P<before>\\*?)\\u+(?P<code>[0-9A-Fa-f]{4})")
_PREFIX = re.compile(r"\s*(?:explain\b|profile\b|cypher\b(?:\s+\d+(?:\.\d+)?\b)?(?:\s+\w+\s*=\s*\w+)*)", re.IGNORECASE)
_USE = re.compile(r"(?:^|[{;]|\bunion(?:\s+(?:all|distinct))?)\s*use\s+[\w`]", re.IGNORECASE)
_NAME = r"(?:\w+|`(?:``|[^`])*`)"
_CALL = re.compile(rf"(?<![\w.:`$])call\s+({_NAME}(?:\s*\.\s*{_NAME})*)", re.IGNORECASE)
_LOAD = re.compile(r"(?<![\w.:`$])load\s+csv\b", re.IGNORECASE)


def refusal_of(statement: str) -> str:
    """Why a statement must not pass: what in it does more than read; "" when nothing does."""
    refusal = _refusal(statement)
    if not refusal and "\\u" in statement:
        # older parsers take an escape for its character before they look for the ends of texts
        refusal = _refusal(_ESCAPE.sub(_character, statement)) or _refusal(_ESCAPE.sub(_unless_escaped, statement))
    return refusal


def _character(match: re.Match[str]) -> str:
    return match["before"] + chr(int(match["code"], 16))


def _unless_escaped(match: re.Match[str]) -> str:
    """After an odd number of backslashes the next one begins no escape."""
    return match[0] if len(match["before"]) % 2 else _character(match)


def _refusal(statement: str) -> str:
    bare = _QUOTED.sub(_without_text, statement)
    start = bare
    while prefix := _PREFIX.match(start):
        start = start[prefix.end() :]
    if _USE.search(start):
        return "USE"
    first = re.match(r"[\s;]*(\w+)", start)
    if first is not None and first[1].lower() in _ADMINISTRATION:
        return first[1].upper()
    if _LOAD.search(bare):
        return "LOAD CSV"
    for call in _CALL.finditer(bare):
        name = re.sub(r"[\s`]", "", call[1]).lower()
        # a procedure has a namespace; a variable that is called so is followed by another word
        if "." in name and name not in READ_PROCEDURES:
            return f"CALL {re.sub(r'[^A-Za-z0-9_.]', '', call[1])}"
    return ""


def _without_text(match: re.Match[str]) -> str:
    """Names in backticks stay: they may name a procedure."""
    found = match[0]
    return found if found.startswith("`") else " " if found.startswith("/") else "''"
