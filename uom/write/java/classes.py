"""Java classes of the model that all targets have: enums, result rows, and the shape of a bean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uom.model.diagnostics import Refusal
from uom.model.types import EnumType, RecordType, SequenceType
from uom.write.java.source import Imports, java_file, string_literal
from uom.write.java.types import JavaModel, is_primitive
from uom.write.names import java_property_name


def record_file(name: str, type_: RecordType, model: JavaModel, mark: Callable[[str, Imports], str]) -> str:
    """A row as a record. `mark` gives the annotation of a component, or nothing."""
    imports = model_imports(model, name)
    names = [java_property_name(f.name) for f in type_.fields]
    twice = next((f.name for f, n in zip(type_.fields, names, strict=True) if names.count(n) > 1), None)
    if twice is not None:
        raise Refusal(twice, "two fields get the same name in Java", remedy="Rename one of them.")
    components = []
    for one in type_.fields:
        component = java_property_name(one.name)
        java = model.java_type(one.type, imports, name + one.name)
        components.append(f"{mark(component, imports)}{java} {component}")
    body = _checks(name, type_, imports)
    text = f"public record {name}({', '.join(components)}) {body}"
    if len(text.split("\n")[0]) > 120:
        joined = ",\n".join(f"        {component}" for component in components)
        text = f"public record {name}(\n{joined}) {body}"
    return java_file(model.package, imports, text.split("\n"))


def _checks(name: str, type_: RecordType, imports: Imports) -> str:
    """The body: a null where C# has no place for one is an error there, too. Primitives need no check."""
    checked = [f for f in type_.fields if f.required and not is_primitive(f.type)]
    if not checked:
        return "{}"
    lines = []
    for one in checked:
        component = java_property_name(one.name)
        if isinstance(one.type, SequenceType):
            lines.append(f"        {component} = {imports.use('java.util.List')}.copyOf({component});")
        else:
            lines.append(f'        {imports.use("java.util.Objects")}.requireNonNull({component}, "{component}");')
    return "\n".join(["{", f"    public {name} {{", *lines, "    }", "}"])


def enum_file(name: str, type_: EnumType, model: JavaModel) -> str:
    """An enum with the C# member names and numbers, and what the database stores for each."""
    members = [f"    {member}({number}, {_stored(type_, number)})" for member, number in type_.members]
    text_stored = is_text(type_)
    java = "String" if text_stored else "int"
    test = "value.stored.equals(stored)" if text_stored else "value.stored == stored"
    body = [
        f"public enum {name} {{",
        ",\n".join(members) + ";",
        "",
        "    private final int number;",
        f"    private final {java} stored;",
        "",
        f"    {name}(int number, {java} stored) {{",
        "        this.number = number;",
        "        this.stored = stored;",
        "    }",
        "",
        "    /** The number behind the member. */",
        "    public int number() {",
        "        return number;",
        "    }",
        "",
        "    /** What the database holds. */",
        f"    public {java} stored() {{",
        "        return stored;",
        "    }",
        "",
        f"    public static {name} ofStored({java} stored) {{",
        f"        for ({name} value : values()) {{",
        f"            if ({test}) {{",
        "                return value;",
        "            }",
        "        }",
        f'        throw new IllegalArgumentException("no {name} is stored as " + stored);',
        "    }",
        "",
        f"    public static {name} ofNumber(int number) {{",
        f"        for ({name} value : values()) {{",
        "            if (value.number == number) {",
        "                return value;",
        "            }",
        "        }",
        f'        throw new IllegalArgumentException("no {name} has the number " + number);',
        "    }",
        "}",
    ]
    return java_file(model.package, model_imports(model, name), "\n".join(body).split("\n"))


def is_text(type_: EnumType) -> bool:
    return any(isinstance(value, str) for _, value in type_.stored)


def _stored(type_: EnumType, number: int) -> str:
    stored = type_.stored_value(number)
    if stored is None or isinstance(stored, str) != is_text(type_):
        raise Refusal(type_.name, "not every member has a stored value of one type")
    return string_literal(stored) if isinstance(stored, str) else str(stored)


# -- beans -------------------------------------------------------------------------------------------------------------


class Member:
    """One field of a class."""

    def __init__(self, java_type: str, name: str, marks: tuple[str, ...] = ()) -> None:
        self.java_type, self.name, self.marks = java_type, name, marks


def class_file(
    name: str,
    head: list[str],
    members: list[Member],
    model: JavaModel,
    imports: Imports,
    base: str | None = None,
    abstract: bool = False,
    nested: Sequence[str] = (),
) -> str:
    names = [member.name for member in members]
    if len(set(names)) != len(names):
        raise Refusal(name, "two members get the same name in Java")
    extends = f" extends {model.entity(base)}" if base else ""
    body = [*head, f"public {'abstract ' if abstract else ''}class {name}{extends} {{"]
    for member in members:
        body += [f"    {mark}" for mark in member.marks]
        body.append(f"    private {member.java_type} {member.name};")
        if member.marks:
            body.append("")
    for member in members:
        suffix = member.name[0].upper() + member.name[1:]
        getter = "is" if member.java_type == "boolean" else "get"
        body += [
            "" if body[-1] else None,  # type: ignore[list-item]
            f"    public {member.java_type} {getter}{suffix}() {{",
            f"        return {member.name};",
            "    }",
            "",
            f"    public void set{suffix}({member.java_type} {member.name}) {{",
            f"        this.{member.name} = {member.name};",
            "    }",
        ]
    body += [*nested, "}"]
    return java_file(model.package, imports, [line for line in body if line is not None])


def model_imports(model: JavaModel, own: str) -> Imports:
    imports = Imports(model.package, neighbours=model.taken)
    imports.taken[own] = f"{model.package}.{own}"
    return imports
