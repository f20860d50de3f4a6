"""Calls of translated methods with literal arguments, as the harness makes them."""

from __future__ import annotations

from uom.model.bundle import JavaMethod
from uom.model.types import Kind
from uom.write.java.bundle import SOURCES
from uom.write.java.literals import float_text, scalar_literal
from uom.write.java.source import Imports


def java_call(method: JavaMethod, arguments: tuple[object, ...]) -> str:
    """The Java text of a call on a variable named like the class (`filters.byCountry("UK")`).

    Arguments are C# values as `Const` holds them; classes are written with their package. Raises ValueError for a
    value that has no literal.
    """
    variable = method.class_name[0].lower() + method.class_name[1:]
    package = method.file.removeprefix(SOURCES + "/").rpartition("/")[0].replace("/", ".")
    texts = [_argument(java, value, package) for (java, _), value in zip(method.parameters, arguments, strict=True)]
    return f"{variable}.{method.name}({', '.join(texts)})"


_QUALIFIED = Imports(
    "", dict.fromkeys(("BigDecimal", "Instant", "LocalDate", "LocalTime", "Duration", "UUID"), "taken")
)


def _argument(java: str, value: object, package: str) -> str:
    java = java.rpartition(".")[2] if "<" not in java else java
    if value is None:
        return "null"
    if "<" in java:
        element = java[java.index("<") + 1 : -1]
        items = ", ".join(_argument(element, item, package) for item in value)  # type: ignore[attr-defined]
        return f"java.util.Arrays.<{_qualified(element, package)}>asList({items})"
    if java in _KINDS:
        return scalar_literal(value, _KINDS[java], _QUALIFIED)
    if java in ("float", "Float"):
        return float_text(value)
    if isinstance(value, int):
        return f"{package}.model.{java}.ofNumber({value})"
    raise ValueError(f"no literal for {java}")


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


def _qualified(java: str, package: str) -> str:
    if java in _PACKAGES:
        return f"{_PACKAGES[java]}.{java}"
    return java if java in _KINDS or java == "Float" else f"{package}.model.{java}"
