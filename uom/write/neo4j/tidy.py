"""Last touches that keep the meaning: what was carried for nothing is not, and names are used where they are known."""

from __future__ import annotations

from collections.abc import Sequence

from uom.write.neo4j.clauses import Clause, Return
from uom.write.neo4j.text import Text, quoted


def tidied(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses with the sort keys of the RETURN named as its columns where they are the same."""
    result = list(clauses)
    if result and isinstance(result[-1], Return):
        last = result[-1]
        names = {text.cypher: quoted(alias) for text, alias in last.items if text.cypher != quoted(alias)}
        last.sort = tuple(_named(item, names) for item in last.sort)
    return result


def _named(item: Text, names: dict[str, str]) -> Text:
    plain = item.cypher.removesuffix(" DESC")
    known = names.get(plain)
    if known is None or "{" not in plain:
        return item
    return Text(known + item.cypher[len(plain) :])
