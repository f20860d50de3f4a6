"""Relationships: fluent configuration first, then EF Core's conventions for what is left.

Pairs navigations with their inverses, finds or makes the foreign key's properties, decides which side is dependent.
"""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.schema import ForeignKey, JoinTable, Navigation, NavigationKind
from uom.model.types import as_nullable
from uom.read.efcore.drafts import EntityDraft, ModelDraft, NavigationDraft, PropertyDraft, RelationshipDraft


@dataclass(frozen=True, slots=True)
class Placed:
    """A finished navigation and the entity it belongs to."""

    entity: str
    navigation: Navigation


class RelationshipBuilder:
    """Turns navigation drafts and configured relationships into navigations of the schema."""

    def __init__(self, model: ModelDraft) -> None:
        self.model = model
        self.done: set[tuple[str, str]] = set()
        self.placed: list[Placed] = []

    def build(self) -> list[Placed]:
        for draft in self.model.relationships:
            self.configured(draft)
        for entity in list(self.model.entities.values()):
            for navigation in list(entity.navigations.values()):
                if (entity.name, navigation.name) not in self.done and navigation.target in self.model.entities:
                    self.conventional(entity, navigation)
        return self.placed

    # configured -------------------------------------------------------------------------------------------------

    def configured(self, draft: RelationshipDraft) -> None:
        left, right = self.model.entities.get(draft.left), self.model.entities.get(draft.right)
        if left is None or right is None:
            return
        left, right = self.declaring(left, draft.left_navigation), self.declaring(right, draft.right_navigation)
        for entity, name in ((left, draft.left_navigation), (right, draft.right_navigation)):
            if name is not None:
                self.done.add((entity.name, name))
        if draft.right_is_many and draft.left_is_many:
            self.many_to_many(draft, left, right)
            return
        dependent, principal, dep_nav, prin_nav = self.sides(draft, left, right)
        many = draft.right_is_many or draft.left_is_many
        key = self.foreign_key(
            dependent, principal, dep_nav, draft.foreign_key, draft.principal_key, draft.required, unique=not many
        )
        self.place(key, dependent, principal, dep_nav, prin_nav, collection=many)

    def declaring(self, entity: EntityDraft, navigation: str | None) -> EntityDraft:
        """The class of the hierarchy that a navigation belongs to; a relationship is placed there."""
        found = entity
        while navigation is not None and navigation not in found.navigations and found.base is not None:
            found = self.model.entities[found.base]
        return found if navigation in found.navigations else entity

    def sides(
        self, draft: RelationshipDraft, left: EntityDraft, right: EntityDraft
    ) -> tuple[EntityDraft, EntityDraft, str | None, str | None]:
        """(dependent, principal, navigation on the dependent, navigation on the principal)."""
        if draft.right_is_many:
            return right, left, draft.right_navigation, draft.left_navigation
        if draft.left_is_many:
            return left, right, draft.left_navigation, draft.right_navigation
        dependent_is_left = draft.dependent == left.name or (
            draft.dependent is None
            and (
                (bool(draft.foreign_key) and draft.foreign_key[0] in left.properties)
                if draft.foreign_key
                else self.find_foreign_key(left, right, draft.left_navigation) is not None
            )
        )
        if dependent_is_left:
            return left, right, draft.left_navigation, draft.right_navigation
        return right, left, draft.right_navigation, draft.left_navigation

    # conventions ------------------------------------------------------------------------------------------------

    def conventional(self, entity: EntityDraft, navigation: NavigationDraft) -> None:
        other = self.model.entities[navigation.target]
        inverse = self.inverse_of(entity, navigation, other)
        self.done.add((entity.name, navigation.name))
        if inverse is not None:
            self.done.add((other.name, inverse.name))
        if navigation.collection and inverse is not None and inverse.collection:
            draft = RelationshipDraft(entity.name, other.name, navigation.name, inverse.name, True, True)
            self.many_to_many(draft, entity, other)
            return
        names = navigation.foreign_key or (inverse.foreign_key if inverse is not None else ())
        if navigation.collection:
            dependent, principal = other, entity
            dep_nav: str | None = inverse.name if inverse else None
            prin_nav: str | None = navigation.name
        elif inverse is None or inverse.collection or self.is_dependent(entity, other, navigation, inverse):
            dependent, principal = entity, other
            dep_nav, prin_nav = navigation.name, (inverse.name if inverse else None)
        else:
            dependent, principal, dep_nav, prin_nav = other, entity, inverse.name, navigation.name
        many = navigation.collection or inverse is None or inverse.collection
        key = self.foreign_key(dependent, principal, dep_nav, names, (), None, unique=not many)
        self.place(key, dependent, principal, dep_nav, prin_nav, collection=many)

    def is_dependent(
        self, entity: EntityDraft, other: EntityDraft, navigation: NavigationDraft, inverse: NavigationDraft
    ) -> bool:
        """One-to-one: the side that has the foreign key's property."""
        if navigation.foreign_key and all(n in entity.properties for n in navigation.foreign_key):
            return True
        if inverse.foreign_key and all(n in other.properties for n in inverse.foreign_key):
            return False
        return self.find_foreign_key(entity, other, navigation.name) is not None

    def inverse_of(
        self, entity: EntityDraft, navigation: NavigationDraft, other: EntityDraft
    ) -> NavigationDraft | None:
        """The navigation back: named by an annotation, else the only one there is in both directions."""
        if navigation.inverse is not None:
            return other.navigations.get(navigation.inverse)
        back = [
            n
            for n in other.navigations.values()
            if n.target == entity.name and (other.name, n.name) not in self.done and n is not navigation
        ]
        named = [n for n in back if n.inverse == navigation.name]
        if named:
            return named[0]
        free = [n for n in back if n.inverse is None]
        mine = [
            n
            for n in entity.navigations.values()
            if n.target == other.name and (entity.name, n.name) not in self.done and n.inverse is None
        ]
        if entity is other:
            return (
                free[0] if len(free) == 1 and len(mine) == 2 and free[0].collection != navigation.collection else None
            )
        shared = [n for n in free if n.foreign_key and n.foreign_key == navigation.foreign_key]
        if len(shared) == 1:
            return shared[0]
        return free[0] if len(free) == 1 and len(mine) == 1 else None

    # foreign keys -----------------------------------------------------------------------------------------------

    def foreign_key(
        self,
        dependent: EntityDraft,
        principal: EntityDraft,
        navigation: str | None,
        names: tuple[str, ...],
        principal_key: tuple[str, ...],
        required: bool | None,
        unique: bool,
    ) -> ForeignKey:
        key = principal_key or key_of(principal)
        names = names or self.annotated(dependent, navigation)
        names = names or self.find_foreign_key(dependent, principal, navigation) or ()
        draft = dependent.navigations.get(navigation or "")
        if not names:
            names = tuple(self.shadow_name(navigation or principal.name, k) for k in key)
        wanted = required if required is not None else (draft.required or None if draft is not None else None)
        for name, principal_name in zip(names, key, strict=False):
            if name not in dependent.properties:
                nullable = not wanted if wanted is not None else (draft is None or draft.nullable)
                self.shadow(dependent, name, principal, principal_name, nullable)
        properties = [dependent.properties[n] for n in names if n in dependent.properties]
        in_key = all(n in key_of(dependent) for n in names)
        is_required = wanted if wanted is not None else in_key or not any(_nullable(p) for p in properties)
        if wanted:
            for p in properties:
                p.required = True
        return ForeignKey(dependent.name, names, principal.name, key, bool(is_required), unique)

    def annotated(self, dependent: EntityDraft, navigation: str | None) -> tuple[str, ...]:
        """`[ForeignKey("Customer")]` on the foreign key's property names the navigation."""
        draft = dependent.navigations.get(navigation or "")
        if draft is not None and draft.foreign_key:
            return draft.foreign_key
        if navigation is None or dependent.symbol is None:
            return ()
        found = []
        for member in dependent.symbol.members.values():
            for attribute in member.attributes:
                if attribute.name == "ForeignKey" and member.name in dependent.properties and attribute.positional:
                    text = (attribute.positional[0].text or b"").decode()
                    if text.strip('"') == navigation or text == f"nameof({navigation})":
                        found.append(member.name)
        return tuple(found)

    def find_foreign_key(
        self, dependent: EntityDraft, principal: EntityDraft, navigation: str | None
    ) -> tuple[str, ...] | None:
        """By name: navigation + key, navigation + Id, principal + key, principal + Id, or the key's own name."""
        key = key_of(principal)
        by_lower = {name.lower(): name for name in dependent.properties}
        own = key_of(dependent)
        if len(key) == 1:
            k = key[0]
            candidates = [f"{p}{s}" for p in (navigation, principal.name) if p for s in (k, "Id")]
            candidates += [k] if k.lower() != "id" else []
            for candidate in candidates:
                name = by_lower.get(candidate.lower())
                if name is not None and not (own == (name,) and dependent is principal):
                    return (name,)
            return None
        names = [
            next(
                (by_lower[c.lower()] for c in (f"{navigation}{k}", f"{principal.name}{k}", k) if c.lower() in by_lower),
                None,
            )
            for k in key
        ]
        found = [n for n in names if n is not None]
        return tuple(found) if found and len(found) == len(key) else None

    @staticmethod
    def shadow_name(prefix: str, key: str) -> str:
        return key if key.lower().startswith(prefix.lower()) else prefix + key

    @staticmethod
    def shadow(dependent: EntityDraft, name: str, principal: EntityDraft, key: str, nullable: bool) -> None:
        model = principal.properties.get(key)
        if model is not None:
            dependent.properties[name] = PropertyDraft(name, as_nullable(model.type, nullable), shadow=True)

    # results ----------------------------------------------------------------------------------------------------

    def place(
        self,
        key: ForeignKey,
        dependent: EntityDraft,
        principal: EntityDraft,
        dep_nav: str | None,
        prin_nav: str | None,
        collection: bool,
    ) -> None:
        if dep_nav is not None:
            navigation = Navigation(dep_nav, NavigationKind.REFERENCE, principal.name, key, True, prin_nav)
            self.placed.append(Placed(dependent.name, navigation))
        if prin_nav is not None:
            kind = NavigationKind.COLLECTION if collection else NavigationKind.REFERENCE
            self.placed.append(Placed(principal.name, Navigation(prin_nav, kind, dependent.name, key, False, dep_nav)))

    def many_to_many(self, draft: RelationshipDraft, left: EntityDraft, right: EntityDraft) -> None:
        table, schema, left_columns, right_columns = self.join_table(draft, left, right)
        for entity, other, name, inverse, own, far in (
            (left, right, draft.left_navigation, draft.right_navigation, left_columns, right_columns),
            (right, left, draft.right_navigation, draft.left_navigation, right_columns, left_columns),
        ):
            if name is not None:
                join = JoinTable(table, schema, own, far, draft.join_entity)
                self.placed.append(
                    Placed(entity.name, Navigation(name, NavigationKind.SKIP, other.name, None, False, inverse, join))
                )

    def join_table(
        self, draft: RelationshipDraft, left: EntityDraft, right: EntityDraft
    ) -> tuple[str, str | None, tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
        """Table, schema, and (join column, key property) pairs of both sides.

        By convention the table is named after both entities in alphabetical order, and a column after the entity
        (or, when the other side has a navigation, after that navigation's name... see below) and its key.
        """
        if draft.join_entity is not None and draft.join_entity in self.model.entities:
            join = self.model.entities[draft.join_entity]
            lefts = self.find_foreign_key(join, left, left.name) or ()
            rights = self.find_foreign_key(join, right, right.name) or ()
            if not key_of(join) and not join.keyless:
                join.key = (*lefts, *rights)  # EF Core's convention: one row per pair
            return (
                join.table or (join.set_names[0] if join.set_names else join.name),
                join.schema,
                tuple((join.properties[n].column or n, k) for n, k in zip(lefts, key_of(left), strict=False)),
                tuple((join.properties[n].column or n, k) for n, k in zip(rights, key_of(right), strict=False)),
            )
        table, schema = draft.join_table or ("".join(sorted((left.name, right.name))), None)
        left_names = draft.join_left or tuple((draft.right_navigation or left.name) + k for k in key_of(left))
        right_names = draft.join_right or tuple((draft.left_navigation or right.name) + k for k in key_of(right))
        return (
            table,
            schema or self.model.default_schema,
            tuple(zip(left_names, key_of(left), strict=False)),
            tuple(zip(right_names, key_of(right), strict=False)),
        )


def _nullable(property_: PropertyDraft) -> bool:
    if property_.required is not None:
        return not property_.required
    return property_.type.nullable


def key_of(entity: EntityDraft) -> tuple[str, ...]:
    """The primary key: configured, else `Id` or `<Class>Id` in any case."""
    if entity.keyless:
        return ()
    if entity.key is not None:
        return entity.key
    for wanted in ("id", f"{entity.name.lower()}id"):
        for name in entity.properties:
            if name.lower() == wanted:
                return (name,)
    return ()
