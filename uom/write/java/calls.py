"""Calls of translated methods with literal arguments, as the harness makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from uom.model.bundle import JavaMethod, JavaRecord
from uom.model.types import Kind
from uom.write.java.bundle import SOURCES
from uom.write.java.literals import float_text, scalar_literal
from uom.write.java.source import NoImports


def java_call(method: JavaMethod, arguments: tuple[object, ...]) -> str:
    """The Java text of a call on a variable named like the class (`filters.byCountry("UK")`).

    Arguments are C# values as `Const` holds them, records as dicts by C# field; classes are written with their package.
    Raises ValueError for a value that has no literal.
    """
    variable = method.class_name[0].lower() + method.class_name[1:]
    package = method.file.removeprefix(SOURCES + "/").rpartition("/")[0].replace("/", ".")
    literals = _Literals(package, dict(method.records))
    texts = [literals.text(java, value) for (java, _), value in zip(method.parameters, arguments, strict=True)]
    return f"{variable}.{method.name}({', '.join(texts)})"


@dataclass(frozen=True, slots=True)
class _Literals:
    """Values as Java text, by the Java type they must have. `records` by that type."""

    package: str
    records: Mapping[str, JavaRecord]

    def text(self, java: str, value: object) -> str:
        if value is None:
            return "null"
        if java in self.records:
            return self._record(self.records[java], value)
        if java.endswith(">"):
            element = java[java.index("<") + 1 : -1]
            assert isinstance(value, Sequence)
            if list(value) == [None]:  # taken for no array at all by asList
                return f"java.util.Collections.<{self._qualified(element)}>singletonList(null)"
            items = ", ".join(self.text(element, item) for item in value)
            return f"java.util.Arrays.<{self._qualified(element)}>asList({items})"
        simple = java.rpartition(".")[2]
        if simple in _KINDS and not self._is_of_model(java):
            return scalar_literal(value, _KINDS[simple], NoImports())
        if simple in ("float", "Float"):
            return float_text(value)
        if isinstance(value, int):
            return f"{self.package}.model.{simple}.ofNumber({value})"
        raise ValueError(f"no literal for {java}")

    def _record(self, record: JavaRecord, value: object) -> str:
        if not isinstance(value, Mapping):
            raise ValueError(f"no literal for {record.class_name}")
        parts = ", ".join(self.text(java, value[field]) for java, field in record.components)
        return f"new {record.class_name}({parts})"

    def _qualified(self, java: str) -> str:
        """A type argument as it may stand anywhere."""
        if java in self.records:
            return self.records[java].class_name
        if java.endswith(">"):
            return f"java.util.List<{self._qualified(java[java.index('<') + 1 : -1])}>"
        simple = java.rpartition(".")[2]
        if simple in _PACKAGES and not self._is_of_model(java):
            return f"{_PACKAGES[simple]}.{simple}"
        return simple if simple in _KINDS or simple == "Float" else f"{self.package}.model.{simple}"

    def _is_of_model(self, java: str) -> bool:
        """A class of the model may be called like one of Java's; it is then written with its package."""
        return java.startswith(f"{self.package}.model.")


_KINDS = {
    "boolean": Kind.BOOL, "Boolean": Kind.BOOL, "int": Kind.INT, "Integer": Kind.INT, "long": Kind.LONG,
    "Long": Kind.LONG, "double": Kind.DOUBLE, "Double": Kind.DOUBLE, "BigDecimal": Kind.DECIMAL,
    "String": Kind.STRING, "Character": Kind.CHAR, "Instant": Kind.DATETIME, "LocalDate": Kind.DATEONLY,
    "LocalTime": Kind.TIMEONLY, "Duration": Kind.TIMESPAN, "UUID": Kind.GUID, "byte[]": Kind.BYTES,
}  # fmt: skip
_PACKAGES = {
    "BigDecimal": "java.math",
    "Instant": "java.time",
    "LocalDate": "java.time",
    "LocalTime": "java.time",
    "Duration": "java.time",
    "UUID": "java.util",
}
