"""PackStream, the binary form of values in Bolt messages: read it, write it, and say where in the bytes a value is.

Structures (nodes, dates, messages) keep their tag and fields; what they mean is the reader's business.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uom.run.engines.relaying import WireProblem

_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Structure:
    """`tag` is one byte, e.g. 0x44 for a date."""

    tag: int
    fields: tuple[Any, ...]


def unpack(data: bytes) -> Any:
    """The one value in `data`. Raises WireProblem for anything else."""
    value, end = read(data, 0)
    if end != len(data):
        raise WireProblem("bytes after a value")
    return value


def read(data: bytes, position: int, depth: int = 0) -> tuple[Any, int]:
    """The value that starts at `position`, and where it ends."""
    if depth > _DEEPEST:
        raise WireProblem("values nested too deeply")
    try:
        return _read(data, position, depth)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise WireProblem(str(error)) from error


def _read(data: bytes, position: int, depth: int) -> tuple[Any, int]:
    marker = data[position]
    position += 1
    if marker < 0x80 or marker >= 0xF0:
        return (marker if marker < 0x80 else marker - 0x100), position
    if marker in _CONSTANTS:
        return _CONSTANTS[marker], position
    if marker in _NUMBERS:
        form = _NUMBERS[marker]
        return form.unpack_from(data, position)[0], position + form.size
    if marker in _LENGTHS:
        kind, form = _LENGTHS[marker]
        size = form.unpack_from(data, position)[0]
        position += form.size
    else:
        kind, size = _TINY.get(marker >> 4, ""), marker & 0x0F
    return _sized(kind, size, data, position, depth)


def _sized(kind: str, size: int, data: bytes, position: int, depth: int) -> tuple[Any, int]:
    if kind in ("text", "bytes"):
        end = position + size
        if end > len(data):
            raise WireProblem("a value ends too early")
        raw = data[position:end]
        return (raw.decode() if kind == "text" else raw), end
    if kind == "list":
        items = []
        for _ in range(size):
            item, position = read(data, position, depth + 1)
            items.append(item)
        return items, position
    if kind == "map":
        entries = {}
        for _ in range(size):
            key, position = read(data, position, depth + 1)
            if not isinstance(key, str):
                raise WireProblem("a key that is no text")
            entries[key], position = read(data, position, depth + 1)
        return entries, position
    if kind == "structure":
        tag = data[position]
        fields, end = _sized("list", size, data, position + 1, depth)
        return Structure(tag, tuple(fields)), end
    raise WireProblem("an unknown marker")


def pack(value: Any) -> bytes:
    """Of None, bool, int, float, str, bytes, lists, mappings with text keys, and structures."""
    parts: list[bytes] = []
    _pack(value, parts.append)
    return b"".join(parts)


def _pack(value: Any, put: Callable[[bytes], None]) -> None:
    packer = _PACKERS.get(type(value))
    if packer is None:
        raise TypeError(f"{type(value).__name__} has no form in PackStream")
    packer(value, put)


def _pack_text(value: str, put: Callable[[bytes], None]) -> None:
    encoded = value.encode()
    put(_header(len(encoded), 0x80, (0xD0, 0xD1, 0xD2)))
    put(encoded)


def _pack_bytes(value: bytes, put: Callable[[bytes], None]) -> None:
    put(_header(len(value), None, (0xCC, 0xCD, 0xCE)))
    put(value)


def _pack_list(value: Sequence[Any], put: Callable[[bytes], None]) -> None:
    put(_header(len(value), 0x90, (0xD4, 0xD5, 0xD6)))
    for item in value:
        _pack(item, put)


def _pack_map(value: Mapping[str, Any], put: Callable[[bytes], None]) -> None:
    put(_header(len(value), 0xA0, (0xD8, 0xD9, 0xDA)))
    for key, item in value.items():
        _pack_text(key, put)
        _pack(item, put)


def _pack_structure(value: Structure, put: Callable[[bytes], None]) -> None:
    put(bytes((0xB0 + len(value.fields), value.tag)))
    for item in value.fields:
        _pack(item, put)


def _packed_integer(value: int) -> bytes:
    if -16 <= value < 128:
        return struct.pack(">b", value)
    for marker, form in ((0xC8, ">b"), (0xC9, ">h"), (0xCA, ">i"), (0xCB, ">q")):
        bits = 8 * struct.calcsize(form) - 1
        if -(1 << bits) <= value < 1 << bits:
            return bytes((marker,)) + struct.pack(form, value)
    raise OverflowError(f"{value} has more than 64 bits")


def _header(size: int, tiny: int | None, markers: tuple[int, int, int]) -> bytes:
    if tiny is not None and size < 16:
        return bytes((tiny + size,))
    for marker, form in zip(markers, (">B", ">H", ">I"), strict=True):
        if size < 1 << 8 * struct.calcsize(form):
            return bytes((marker,)) + struct.pack(form, size)
    raise OverflowError(f"{size} elements")


_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {
    0xC1: struct.Struct(">d"),
    0xC8: struct.Struct(">b"),
    0xC9: struct.Struct(">h"),
    0xCA: struct.Struct(">i"),
    0xCB: struct.Struct(">q"),
}
_LENGTHS = {
    base + step: (kind, struct.Struct(form))
    for base, kind in ((0xCC, "bytes"), (0xD0, "text"), (0xD4, "list"), (0xD8, "map"))
    for step, form in enumerate((">B", ">H", ">I"))
}
_TINY = {0x8: "text", 0x9: "list", 0xA: "map", 0xB: "structure"}
_PACKERS: dict[type, Callable[[Any, Callable[[bytes], None]], None]] = {
    type(None): lambda _, put: put(b"\xc0"),
    bool: lambda value, put: put(b"\xc3" if value else b"\xc2"),
    int: lambda value, put: put(_packed_integer(value)),
    float: lambda value, put: put(b"\xc1" + struct.pack(">d", value)),
    str: _pack_text,
    bytes: _pack_bytes,
    list: _pack_list,
    tuple: _pack_list,
    dict: _pack_map,
    Structure: _pack_structure,
}
