"""What a writer hands over: the files of a Java project and the methods in them that can be called."""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class JavaRecord:
    """A record class as its canonical constructor takes it: (Java type with packages, C# field) pairs in order."""

    class_name: str
    components: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class JavaMethod:
    """A translated query method. `id` is the C# one ("Filters.ProductsInPriceRange").

    `first_line` and `last_line` are its place in `file` (1-based), so that a compile error can be laid at its door.
    `parameters` are (Java type, name) pairs as written; `records` says for each type in them, and in the components of
    these, what it takes to make one.
    """

    id: str
    class_name: str
    name: str
    parameters: tuple[tuple[str, str], ...]
    return_type: str
    file: str
    first_line: int
    last_line: int
    diagnostics: tuple[Diagnostic, ...] = ()
    records: tuple[tuple[str, JavaRecord], ...] = ()


@dataclass(frozen=True, slots=True)
class JavaBundle:
    """`files` maps paths ("src/main/java/...", "pom.xml", "README.md") to text. `package` is the base package.

    `target` is "mongodb" or "neo4j". `query_classes` are fully qualified names; each has a constructor that takes a
    MongoTemplate, or a Neo4jClient and a Neo4jMappingContext. `configuration` is the fully qualified class with
    `static MongoTemplate template(MongoClient client, String database)`, or with
    `static Neo4jClient client(Driver driver, String database)` and `static Neo4jMappingContext mapping()`.
    """

    files: tuple[tuple[str, str], ...]
    package: str
    query_classes: tuple[str, ...]
    configuration: str
    methods: tuple[JavaMethod, ...]
    refusals: tuple[tuple[str, Diagnostic], ...] = ()
    """(method id, why) for methods that the writer had to refuse."""
    target: str = "mongodb"

    def file(self, path: str) -> str:
        return dict(self.files)[path]
