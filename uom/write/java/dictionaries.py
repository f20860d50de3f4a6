"""Dictionaries: rows with Key and Value, of which no key may be missing and none may come twice, as in C#."""

from __future__ import annotations

from uom.model.diagnostics import Refusal
from uom.model.expressions import Subquery
from uom.model.types import INTEGERS, EnumType, Kind, RecordType, ScalarType, Type, describe
from uom.write.java.source import Imports

_EXACT = INTEGERS | {
    Kind.BOOL,
    Kind.CHAR,
    Kind.STRING,
    Kind.GUID,
    Kind.DATETIME,
    Kind.DATEONLY,
    Kind.TIMEONLY,
    Kind.TIMESPAN,
}
"""Keys of which Java's `equals` says what C# says."""


def checked(node: Subquery, text: str, java: str, variables: tuple[str, str, str], imports: Imports) -> list[str]:
    """Statements that return the entries. `java` is their class, `variables` names for the list, the keys and an entry.

    Raises Refusal for keys that Java tells apart in another way.
    """
    element = node.query.element
    assert isinstance(element, RecordType)
    entries, keys, entry = variables
    lists, sets, hashed = (imports.use(f"java.util.{name}") for name in ("List", "Set", "HashSet"))
    key_type = element.fields[0].type
    key = f"{entry}.key()"
    if key_type.nullable or key_type == ScalarType(Kind.STRING):
        key = f"{imports.use('java.util.Objects')}.requireNonNull({key})"
    return [
        f"{lists}<{java}> {entries} = {text};",
        f"{sets}<Object> {keys} = new {hashed}<>();",
        f"for ({java} {entry} : {entries}) {{\n"
        f"    if (!{keys}.add({key}{_canonical(key_type)})) {{\n"
        f'        throw new IllegalStateException("Duplicate key " + {entry}.key());\n'
        f"    }}\n}}",
        f"return {entries};",
    ]


def _canonical(type_: Type) -> str:
    """What makes equal values equal objects."""
    if isinstance(type_, ScalarType) and type_.kind is Kind.DECIMAL:
        return ".stripTrailingZeros()"
    if not isinstance(type_, EnumType) and not (isinstance(type_, ScalarType) and type_.kind in _EXACT):
        raise Refusal(
            "ToDictionary",
            f"Java does not compare keys like C# where they are {describe(type_)}",
            remedy="Use a key of the entity, or return the rows.",
        )
    return ""
