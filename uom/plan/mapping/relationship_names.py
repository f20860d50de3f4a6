"""What a relationship is called: rules that a person could follow, in this order.

1. A row that cannot exist without the other (its key begins with the foreign key): owner `CONTAINS` row.
2. A role with a word of its own (`_ROLES`): `Manager` is `REPORTS_TO`, `Parent` is `CHILD_OF`, `Category` is
   `IN_CATEGORY`; a customer `PLACED` an order.
3. A navigation that says how it came about (`CreatedBy`): its name, `CREATED_BY`.
4. Any other: `HAS_` and the navigation's name, from the row that holds the foreign key.

Two foreign keys between the same two entities never share a type: the later one gets its role as a suffix.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from uom.model.schema import Entity, ForeignKey

_ROLES = {
    "MANAGER": "REPORTS_TO", "SUPERVISOR": "REPORTS_TO", "BOSS": "REPORTS_TO", "REPORTS_TO": "REPORTS_TO",
    "PARENT": "CHILD_OF", "AUTHOR": "WRITTEN_BY", "OWNER": "OWNED_BY", "SUPPLIER": "SUPPLIED_BY",
    "CREATOR": "CREATED_BY", "ASSIGNEE": "ASSIGNED_TO", "SHIPPER": "SHIPPED_BY", "VENDOR": "SOLD_BY",
    "MANUFACTURER": "MADE_BY", "PUBLISHER": "PUBLISHED_BY", "TEACHER": "TAUGHT_BY", "INSTRUCTOR": "TAUGHT_BY",
}  # fmt: skip
_PLACES = frozenset(
    {
        "CATEGORY", "COUNTRY", "CITY", "REGION", "STATE", "DEPARTMENT", "TEAM", "WAREHOUSE", "GROUP", "FOLDER",
        "PROJECT", "SCHOOL", "BRANCH", "OFFICE", "LOCATION", "TERRITORY", "COURSE",
    }
)  # fmt: skip
"""What one is in, rather than has."""


@dataclass(frozen=True, slots=True)
class RelationshipName:
    """`from_principal`: it is told from the other side, `(:Customer)-[:PLACED]->(:Order)`."""

    type: str
    from_principal: bool = False


def relationship_name(key: ForeignKey, navigation: str | None, dependent: Entity) -> RelationshipName:
    """The default name for a foreign key; `navigation` is the dependent's way to the principal, if there is one."""
    if _owns(key, dependent):
        return RelationshipName("CONTAINS", from_principal=True)
    role = upper_snake(navigation or key.principal)
    if role == "CUSTOMER" and upper_snake(key.dependent).endswith("ORDER"):
        return RelationshipName("PLACED", from_principal=True)
    if role in _ROLES:
        return RelationshipName(_ROLES[role])
    if role in _PLACES:
        return RelationshipName(f"IN_{role}")
    if role.endswith("_BY"):
        return RelationshipName(role)
    if key.properties[0] in dependent.key:
        return RelationshipName(f"OF_{role}")
    return RelationshipName(f"HAS_{role}")


def _owns(key: ForeignKey, dependent: Entity) -> bool:
    return len(dependent.key) > 1 and dependent.key[: len(key.properties)] == key.properties


def upper_snake(name: str) -> str:
    """`ReportsTo` -> `REPORTS_TO`, `HTTPServer` -> `HTTP_SERVER`; what cannot stand in a plain name becomes `_`."""
    simple = name.rpartition(".")[2]
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", simple)
    return re.sub(r"\W+", "_", parted).strip("_").upper() or "RELATED"
