"""What people write, read by rules: fenced blocks, file names around them, and words for frameworks and versions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from uom.model.diagnostics import Refusal
from uom.orchestrator.files import in_one, join_files
from uom.orchestrator.frameworks import FrameworkEnum, TranslationType
from uom.read import read_program
from uom.read.csharp.fences import Markdown, Piece, file_name, read_markdown
from uom.read.csharp.syntax import InputProblem, SourceFile, parse

UNFENCED = "input.cs"
"""The file of all C# that stands in no fence."""

_SOURCES = (
    (FrameworkEnum.DOTNET_NHIBERNATE, re.compile(r"\bN\s?Hibernate\b", re.I)),
    (FrameworkEnum.DOTNET_DAPPER, re.compile(r"\bDapper\b", re.I)),
    (
        FrameworkEnum.DOTNET_EFCORE,
        re.compile(r"\bE\.?F\.?\s?Core\b|\bEntity\s?Framework\b|\bDbContext\b|\bDbSet\b", re.I),
    ),
)
_DESTINATIONS = (
    (FrameworkEnum.JAVA_SPRING_DATA_MONGODB, re.compile(r"\bMongo(?:\s?DB)?\b", re.I)),
    (FrameworkEnum.JAVA_SPRING_DATA_NEO4J, re.compile(r"\bNeo4j\b|\bCypher\b", re.I)),
)
_TO = re.compile(
    r"\b(?:to|into|for|target(?:ing)?:?)\s+(?:Java\s+)?(?:with\s+)?(?:Spring\s+Data\s+)?(?P<what>Mongo(?:\s?DB)?|Neo4j)\b",
    re.I,
)
_SOURCE_VERSION = re.compile(
    r"\b(?:EF\s?Core|Entity\s?Framework(?:\s?Core)?|Dapper|N\s?Hibernate)\s+v?(?P<v>\d+(?:\.\d+)*)\b", re.I
)
_DESTINATION_VERSION = re.compile(r"\b(?:Spring\s+Data(?:\s+\w+)?|Spring\s+Boot)\s+v?(?P<v>\d+(?:\.\d+)*)\b", re.I)
_ONLY_SCHEMA = re.compile(
    r"\b(?:only|just)\s+(?:the\s+)?(?:schema|entities|model|mapping)\b|\b(?:schema|entities|model)\s+only\b", re.I
)
_ONLY_QUERIES = re.compile(r"\b(?:only|just)\s+(?:the\s+)?quer(?:y|ies)\b|\bquer(?:y|ies)\s+only\b", re.I)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a conversation says; None where it says nothing. The names are those of the state."""

    source_schema_code: str | None = None
    source_query_code: str | None = None
    translation_type: TranslationType | None = None
    source_target: FrameworkEnum | None = None
    source_target_version: str | None = None
    destination_target: FrameworkEnum | None = None
    destination_target_version: str | None = None

    def found(self) -> dict[str, Any]:
        """As an update of the state."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not None}


def read_conversation(text: str) -> Extracted:
    """By rules alone; the same text always reads the same."""
    markdown = read_markdown(text)
    blocks, words = _blocks(markdown), markdown.words
    code = "\n".join(blocks.values())
    schema, query = split_roles(blocks)
    return Extracted(
        source_schema_code=join_files(schema) if schema else None,
        source_query_code=join_files(query) if query else None,
        translation_type=_type_of(words, bool(schema), bool(query)),
        source_target=_named(_SOURCES, words) or _named(_SOURCES, code),
        source_target_version=_version(_SOURCE_VERSION, words),
        destination_target=_destination(words),
        destination_target_version=_version(_DESTINATION_VERSION, words),
    )


def destination_in(text: str) -> FrameworkEnum | None:
    """Where code in it is to be translated to, without looking at the code."""
    markdown = read_markdown(text)
    return _destination(markdown.words) if markdown.csharp() else None


def code_blocks(text: str) -> dict[str, str]:
    """C# by file name; what two blocks of one name say is one text.

    A block without a name is numbered. What stands in no fence is called `input.cs`, and its lines keep their numbers.
    """
    return _blocks(read_markdown(text))


def _blocks(markdown: Markdown) -> dict[str, str]:
    named: list[tuple[str, str]] = []
    bare: list[str] = []
    for piece in markdown.csharp():
        if piece.is_fenced:
            named.append((_name(piece) or f"block{len(named) + 1}.cs", piece.code))
        else:
            bare += [""] * (piece.first - len(bare)) + list(piece.lines)
    if bare:
        named.append((UNFENCED, "\n".join(bare)))
    return in_one(named)


def _name(piece: Piece) -> str | None:
    """From the fence, the line above it, or a comment at the top."""
    first = piece.code.lstrip().partition("\n")[0]
    places = (piece.info, piece.before if len(piece.before) < 200 else "", first if first.startswith("//") else "")
    return next((name for place in places if (name := file_name(place)) is not None), None)


def split_roles(blocks: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Files with entities and contexts, and files with query methods; one that has both is in both if it must."""
    if not blocks:
        return {}, {}
    sources = [source for name, text in blocks.items() if (source := _parsed(name, text)) is not None]
    try:
        program = read_program(sources)
    except (InputProblem, Refusal):
        return {}, dict(blocks)
    asking = {method.place.file for method in program.methods}
    query = {name: text for name, text in blocks.items() if name in asking}
    schema = {name: text for name, text in blocks.items() if name not in asking}
    if not schema and program.schemas:
        schema = dict(query)
    if not query and not program.schemas:
        return {}, schema
    return schema, query


def _parsed(name: str, text: str) -> SourceFile | None:
    try:
        return parse(name, text)
    except InputProblem:
        return None


def _type_of(words: str, schema: bool, query: bool) -> TranslationType | None:
    if schema and _ONLY_SCHEMA.search(words):
        return TranslationType.SCHEMA
    if query and (not schema or _ONLY_QUERIES.search(words)):
        return TranslationType.QUERY
    if schema and query:
        return TranslationType.BOTH
    return TranslationType.SCHEMA if schema else None


def _named(table: Sequence[tuple[FrameworkEnum, re.Pattern[str]]], words: str) -> FrameworkEnum | None:
    return next((framework for framework, pattern in table if pattern.search(words)), None)


def _destination(words: str) -> FrameworkEnum | None:
    """The only one that is named, or the one after "to" when both are."""
    named = [framework for framework, pattern in _DESTINATIONS if pattern.search(words)]
    if len(named) == 1:
        return named[0]
    asked = {_named(_DESTINATIONS, m["what"]) for m in _TO.finditer(words)}
    return next(iter(asked)) if len(asked) == 1 else None


def _version(pattern: re.Pattern[str], words: str) -> str | None:
    found = pattern.search(words)
    return found["v"] if found is not None else None
