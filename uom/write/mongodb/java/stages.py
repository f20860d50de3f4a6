"""Stages as JSON text blocks, with `?0`, `?1`, ... where Java binds a value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bson import Binary, Decimal128

from uom.model.expressions import Const
from uom.model.types import STRING
from uom.write.mongodb.tree import Bind, Bson, leaves

WIDTH = 96
"""With the indentation of a text block this makes lines of up to 120 characters."""
_BINDING_SYNTAX = re.compile(r"\?\d|[:?]#\{|:\d")


@dataclass(slots=True)
class StageText:
    """The JSON of one stage; `binds` are the values of its holes in order."""

    json: str
    binds: list[Bind] = field(default_factory=list)


def stage_text(document: dict[str, Bson]) -> StageText:
    """Text that looks like a hole (`?1`) is bound as a value too, when the stage binds anything at all."""
    binds: list[Bind] = []
    has_holes = any(isinstance(leaf, Bind) for leaf in leaves(document))

    def hole(bind: Bind) -> str:
        if bind not in binds:
            binds.append(bind)
        return f"?{binds.index(bind)}"

    def text(value: str) -> str:
        if has_holes and _BINDING_SYNTAX.search(value):
            return hole(Bind(Const(value, STRING), STRING))
        return json.dumps(value, ensure_ascii=False)

    return StageText(_layout(document, text, hole, 0), binds)


def _layout(tree: Bson, text: Callable[[str], str], hole: Callable[[Bind], str], indent: int) -> str:
    """On one line when that is short enough, else one entry per line."""
    flat = _flat(tree, text, hole)
    if len(flat) + indent <= WIDTH or not isinstance(tree, dict | list) or not tree:
        return flat
    inner = " " * (indent + 2)
    if isinstance(tree, list):
        items = [_layout(item, text, hole, indent + 2) for item in tree]
        return "[\n" + ",\n".join(inner + item for item in items) + "\n" + " " * indent + "]"
    if len(tree) == 1:
        key, value = next(iter(tree.items()))
        return f"{{ {json.dumps(key, ensure_ascii=False)}: {_layout(value, text, hole, indent)} }}"
    entries = [
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_layout(value, text, hole, indent + 2)}"
        for key, value in tree.items()
    ]
    return "{\n" + ",\n".join(entries) + "\n" + " " * indent + "}"


def _flat(tree: Bson, text: Callable[[str], str], hole: Callable[[Bind], str]) -> str:
    if isinstance(tree, Bind):
        return hole(tree)
    if isinstance(tree, dict):
        if not tree:
            return "{}"
        entries = (f"{json.dumps(k, ensure_ascii=False)}: {_flat(v, text, hole)}" for k, v in tree.items())
        return "{ " + ", ".join(entries) + " }"
    if isinstance(tree, list):
        return "[" + ", ".join(_flat(item, text, hole) for item in tree) + "]"
    if isinstance(tree, str):
        return text(tree)
    return _value(tree)


def _value(tree: Bson) -> str:
    """Relaxed extended JSON."""
    if tree is None:
        return "null"
    if isinstance(tree, bool):
        return "true" if tree else "false"
    if isinstance(tree, int):
        return str(int(tree))
    if isinstance(tree, float):
        return (
            repr(tree) if tree == tree and abs(tree) != float("inf") else f'{{ "$numberDouble": "{_special(tree)}" }}'
        )
    if isinstance(tree, Decimal128):
        return f'{{ "$numberDecimal": "{tree}" }}'
    if isinstance(tree, datetime):
        return f'{{ "$date": "{_instant(tree)}" }}'
    if isinstance(tree, bytes):
        return _binary(tree)
    raise TypeError(f"{type(tree).__name__} in a pipeline")


def _special(number: float) -> str:
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def _instant(value: datetime) -> str:
    plain = value.astimezone(UTC).replace(tzinfo=None)
    return plain.isoformat(timespec="milliseconds" if plain.microsecond else "seconds") + "Z"


def _binary(value: bytes) -> str:
    import base64

    subtype = value.subtype if isinstance(value, Binary) else 0
    encoded = base64.b64encode(bytes(value)).decode()
    return f'{{ "$binary": {{ "base64": "{encoded}", "subType": "{subtype:02x}" }} }}'
