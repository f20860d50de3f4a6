"""Java types for C# types, and the registry of classes that a bundle needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from uom.model.diagnostics import Refusal
from uom.model.queries import IncludeNode
from uom.model.schema import Schema
from uom.model.types import (
    ComplexType,
    EntityType,
    EnumType,
    Field,
    GroupingType,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    describe,
)
from uom.write.java.source import Imports
from uom.write.members import Members
from uom.write.names import fresh_name

_PRIMITIVES = {
    Kind.BOOL: ("boolean", "Boolean"),
    Kind.SBYTE: ("int", "Integer"),
    Kind.BYTE: ("int", "Integer"),
    Kind.SHORT: ("int", "Integer"),
    Kind.USHORT: ("int", "Integer"),
    Kind.INT: ("int", "Integer"),
    Kind.UINT: ("long", "Long"),
    Kind.LONG: ("long", "Long"),
    Kind.FLOAT: ("float", "Float"),
    Kind.DOUBLE: ("double", "Double"),
}
_CLASSES = {
    Kind.ULONG: "java.math.BigDecimal",
    Kind.DECIMAL: "java.math.BigDecimal",
    Kind.STRING: "java.lang.String",
    Kind.CHAR: "java.lang.Character",
    Kind.DATETIME: "java.time.Instant",
    Kind.DATETIMEOFFSET: "java.time.Instant",
    Kind.DATEONLY: "java.time.LocalDate",
    Kind.TIMEONLY: "java.time.LocalTime",
    Kind.TIMESPAN: "java.time.Duration",
    Kind.GUID: "java.util.UUID",
}


@dataclass(eq=False, slots=True)
class JavaModel:
    """The classes of package `<base>.model`. Names are given once and never change."""

    base_package: str
    schema: Schema
    records: dict[str, RecordType] = field(default_factory=dict)
    enums: dict[str, EnumType] = field(default_factory=dict)
    method: str = ""
    """The method that is being written."""
    owners: dict[str, str] = field(default_factory=dict)
    """For each record's name the method that brought it in."""
    entities: set[str] = field(default_factory=set)
    complexes: set[str] = field(default_factory=set)
    names: dict[object, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    """The values of `names`, to be looked up fast: a project may have thousands of classes."""
    loaded: set[tuple[str, str]] = field(default_factory=set)
    """(entity, navigation) pairs that some query loads: only these become members of the class."""

    @property
    def package(self) -> str:
        return f"{self.base_package}.model"

    def __post_init__(self) -> None:
        for entity in self.schema.entities:
            self._name(("entity", entity.name), entity.name)
        for shape in self.schema.complexes:
            self._name(("complex", shape.name), shape.name)

    def _name(self, key: object, wanted: str) -> str:
        if key not in self.names:
            simple = wanted.rpartition(".")[2].replace("<", "Of").translate(str.maketrans("", "", ">,[]()? "))
            self.names[key] = fresh_name(simple, self.taken)
            self.taken.add(self.names[key])
        return self.names[key]

    def entity(self, name: str) -> str:
        """Simple name of an entity's class; it and all it refers to become part of the bundle."""
        self.entities.add(name)
        return self._name(("entity", name), name)

    def complex(self, name: str) -> str:
        self.complexes.add(name)
        return self._name(("complex", name), name)

    def enum(self, type_: EnumType) -> str:
        """Refuses an enum that is stored in two ways: its one Java converter could not tell them apart."""
        plain = as_nullable(type_, False)
        assert isinstance(plain, EnumType)
        name = self._name(("enum", plain.name), plain.name)
        if plain.flags:
            raise Refusal(plain.name, "a flags enum has no Java counterpart", remedy="Return the number instead.")
        if self.enums.setdefault(name, plain) != plain:
            raise Refusal(plain.name, "the enum is stored in different ways by different properties")
        return name

    def record(self, type_: RecordType, suggested: str) -> str:
        """A record class for rows of this type; anonymous ones are named after their method and shared within it."""
        plain = _plain_record(type_)
        key = ("record", plain) if plain.name else ("record", plain, self.method)
        name = self._name(key, plain.name or suggested)
        self.records[name] = plain
        self.owners.setdefault(name, self.method)
        return name

    def grouping(self, type_: GroupingType, suggested: str) -> str:
        fields = (Field("Key", type_.key), Field("Items", SequenceType(type_.element)))
        return self.record(RecordType(None, fields), suggested)

    def snapshot(self) -> JavaModel:
        """A copy to go back to when a method must be refused half-way."""
        return replace(
            self,
            records=dict(self.records),
            owners=dict(self.owners),
            enums=dict(self.enums),
            entities=set(self.entities),
            complexes=set(self.complexes),
            names=dict(self.names),
            loaded=set(self.loaded),
        )

    def restore(self, saved: JavaModel) -> None:
        self.records, self.enums, self.names = saved.records, saved.enums, saved.names
        self.entities, self.complexes = saved.entities, saved.complexes
        self.owners, self.loaded = saved.owners, saved.loaded

    def load(self, entity: str, tree: Iterable[IncludeNode], members: Members) -> None:
        """Remembers what an Include loads."""
        for node in tree:
            navigation = members.navigation(entity, node.navigation)
            self.loaded.add((members.declaring(entity, node.navigation), node.navigation))
            self.load(navigation.target, node.children, members)

    # -- types -------------------------------------------------------------------------------------------------------

    def java_type(self, type_: Type, imports: Imports, hint: str, boxed: bool = False) -> str:
        """The Java type as written. `hint` names records that have no name of their own."""
        match type_:
            case ScalarType():
                return scalar_type(type_, imports, boxed)
            case EnumType():
                return imports.use(f"{self.package}.{self.enum(type_)}")
            case EntityType(name=name):
                return imports.use(f"{self.package}.{self.entity(name)}")
            case ComplexType(name=name):
                return imports.use(f"{self.package}.{self.complex(name)}")
            case RecordType():
                return imports.use(f"{self.package}.{self.record(type_, hint)}")
            case GroupingType():
                return imports.use(f"{self.package}.{self.grouping(type_, hint + 'Group')}")
            case SequenceType(element=element):
                inner = self.java_type(element, imports, hint, boxed=True)
                return f"{imports.use('java.util.List')}<{inner}>"
        raise Refusal(describe(type_), "has no Java type")


def _plain_record(type_: RecordType) -> RecordType:
    return replace(type_, nullable=False)


def scalar_type(type_: ScalarType, imports: Imports, boxed: bool = False) -> str:
    """Primitive where null cannot occur, so that an unexpected null is an error and not a zero."""
    if type_.kind is Kind.BYTES:
        return "byte[]"
    primitive = _PRIMITIVES.get(type_.kind)
    if primitive is not None:
        return primitive[1] if boxed or type_.nullable else primitive[0]
    return imports.use(_CLASSES[type_.kind])


def is_primitive(type_: Type) -> bool:
    return isinstance(type_, ScalarType) and not type_.nullable and type_.kind in _PRIMITIVES


def box_of(type_: Type) -> str:
    """The class that holds a primitive."""
    assert isinstance(type_, ScalarType)
    return _PRIMITIVES[type_.kind][1]
