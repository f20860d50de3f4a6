"""What people write, read by rules: fenced blocks, file names around them, and words for frameworks and versions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from uom.model.diagnostics import Refusal
from uom.orchestrator.files import join_files
from uom.orchestrator.frameworks import FrameworkEnum, TranslationType
from uom.read import read_program
from uom.read.csharp.syntax import InputProblem, SourceFile, parse

_FENCE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)\n(?P<code>.*?)^[ \t]*(?P=fence)[ \t]*$", re.S | re.M
)
_FILE = re.compile(r"(?P<name>[\w./-]*\w\.(?:cs|csx))\b")
_CSHARP = frozenset({"", "cs", "csharp", "c#", "csx"})
_LOOKS_LIKE_CSHARP = re.compile(r"\b(class|record|using|namespace|DbContext|DbSet)\b.*[;{]", re.S)

_BEGINS = re.compile(
    r"^\s*(?:using\s+(?:static\s+)?[\w.]+\s*[;=]|namespace\s+[\w.]+\s*[;{]?\s*$|(?:public|internal|private|protected|sealed|abstract"
    r"|static|partial|readonly)\s+\w|(?:class|record|struct|enum|interface)\s+\w+\s*(?:[(:{<;]|$)|\[\w+.*\]\s*$|//|/\*|#\w+)"
)

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
    blocks = code_blocks(text)
    words = _words(text, blocks)
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
    blocks = code_blocks(text)
    return _destination(_words(text, blocks)) if blocks else None


def _words(text: str, blocks: dict[str, str]) -> str:
    """What is not code."""
    return _FENCE.sub("\n", text) if _FENCE.search(text) else "" if blocks else text


def code_blocks(text: str) -> dict[str, str]:
    """C# by file name. A block without a name is numbered; a later block of one name replaces the earlier."""
    blocks: dict[str, str] = {}
    end = 0
    for match in _FENCE.finditer(text):
        info = match["info"].strip()
        before = text[end : match.start()].rstrip().rpartition("\n")[2]
        end = match.end()
        if info.split(" ")[0].lower() not in _CSHARP and not _FILE.search(info):
            continue
        name = _name(info, before, match["code"]) or f"block{len(blocks) + 1}.cs"
        blocks[name] = match["code"]
    if not blocks and not _FENCE.search(text) and _LOOKS_LIKE_CSHARP.search(text):
        blocks["input.cs"] = _without_prose(text)
    return blocks


def _without_prose(text: str) -> str:
    """Code without a fence: from the first line that can only begin C# to the last that can end it; lines keep their
    numbers."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if _BEGINS.match(line)), 0)
    last = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].rstrip().endswith(("}", ";", "*/"))), len(lines))
    return "\n".join(line if first <= n <= last else "" for n, line in enumerate(lines))


def _name(info: str, before: str, code: str) -> str | None:
    """From the fence, the line above it, or a comment at the top."""
    first = code.lstrip().partition("\n")[0]
    places = (info, before if len(before) < 200 else "", first if first.startswith("//") else "")
    found = next((m for p in places if (m := _FILE.search(p)) is not None), None)
    return found["name"] if found is not None else None


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
