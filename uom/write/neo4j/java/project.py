"""The files around the queries: configuration, schema script, README."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from uom.model.bundle import JavaMethod
from uom.model.diagnostics import Diagnostic
from uom.model.types import EnumType
from uom.write.java.classes import is_text
from uom.write.java.project import why
from uom.write.java.source import Imports, java_file
from uom.write.java.types import JavaModel
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.text import quoted

_CONFIG_CLASSES = {
    "Driver": "org.neo4j.driver.Driver",
    "Value": "org.neo4j.driver.Value",
    "Bean": "org.springframework.context.annotation.Bean",
    "Configuration": "org.springframework.context.annotation.Configuration",
    "Converter": "org.springframework.core.convert.converter.Converter",
    "Selection": "org.springframework.data.neo4j.core.DatabaseSelectionProvider",
    "Client": "org.springframework.data.neo4j.core.Neo4jClient",
    "Template": "org.springframework.data.neo4j.core.Neo4jTemplate",
    "Conversions": "org.springframework.data.neo4j.core.convert.Neo4jConversions",
    "Context": "org.springframework.data.neo4j.core.mapping.Neo4jMappingContext",
    "Transactions": "org.springframework.data.neo4j.core.transaction.Neo4jTransactionManager",
    "List": "java.util.List",
    "Set": "java.util.Set",
}

_CONFIG = """\
/** How values are stored: dates in UTC without a zone, spans as ticks, enums as the source's database held them. */
@{Configuration}(proxyBeanMethods = false)
public class GraphConfig {{

    @{Bean}
    {Conversions} neo4jConversions() {{
        return new {Conversions}({converters});
    }}

    /** For programs without a Spring container. */
    public static {Client} client({Driver} driver, String database) {{
        return {Client}.with(driver)
                .withDatabaseSelectionProvider({Selection}.createStaticDatabaseSelectionProvider(database))
                .build();
    }}

    /** For programs without a Spring container: which classes there are, and how they are read. */
    public static {Context} mapping() {{
        var context = {Context}.builder().withNeo4jConversions(new GraphConfig().neo4jConversions()).build();
        context.setInitialEntitySet({Set}.of({entities}));
        context.afterPropertiesSet();
        return context;
    }}

    /** For programs without a Spring container. */
    public static {Template} template({Driver} driver, String database) {{
        var selection = {Selection}.createStaticDatabaseSelectionProvider(database);
        return new {Template}(client(driver, database), mapping(), new {Transactions}(driver, selection));
    }}
"""


def configuration_file(package: str, model: JavaModel, entities: Sequence[str], converted: Collection[str]) -> str:
    """`GraphConfig`: how values are stored. Works as a Spring @Configuration and on its own."""
    imports = Imports(package)
    for name in (*sorted(model.enums), *entities):
        imports.taken[name] = f"{model.package}.{name}"
    uses = {name: imports.use(qualified) for name, qualified in _CONFIG_CLASSES.items()}
    registered = [f"new {name}Reader(), new {name}Writer()" for name in sorted(model.enums)]
    registered.append("new InstantReader(), new InstantWriter()")
    imports.use("java.time.Instant")
    imports.use("java.time.LocalDateTime")
    imports.use("java.time.ZoneOffset")
    lines = list(_INSTANTS.split("\n"))
    if "java.time.Duration" in converted:
        registered.append("new DurationReader(), new DurationWriter()")
        imports.use("java.time.Duration")
        lines += ["", *_SPANS.split("\n")]
    for name in sorted(model.enums):
        lines += ["", *_enum_converters(name, model.enums[name])]
    for name in ("ReadingConverter", "WritingConverter"):
        imports.use(f"org.springframework.data.convert.{name}")
    imports.use("org.neo4j.driver.Values")
    listed = ",\n                ".join(registered)
    classes = ",\n                ".join(f"{name}.class" for name in entities)
    text = _CONFIG.format(
        converters=f"{uses['List']}.of(\n                {listed})",
        entities=f"\n                {classes}" if classes else "",
        **uses,
    )
    return java_file(package, imports, [*text.split("\n"), *lines, "}"])


_INSTANTS = """\
    @ReadingConverter
    private static final class InstantReader implements Converter<Value, Instant> {
        @Override
        public Instant convert(Value stored) {
            return stored.asLocalDateTime().toInstant(ZoneOffset.UTC);
        }
    }

    @WritingConverter
    private static final class InstantWriter implements Converter<Instant, Value> {
        @Override
        public Value convert(Instant value) {
            return Values.value(LocalDateTime.ofInstant(value, ZoneOffset.UTC));
        }
    }"""

_SPANS = """\
    /** A span of time is stored as ticks of 100 nanoseconds. */
    @ReadingConverter
    private static final class DurationReader implements Converter<Value, Duration> {
        @Override
        public Duration convert(Value stored) {
            long ticks = stored.asLong();
            return Duration.ofSeconds(Math.floorDiv(ticks, 10_000_000L), Math.floorMod(ticks, 10_000_000L) * 100);
        }
    }

    @WritingConverter
    private static final class DurationWriter implements Converter<Duration, Value> {
        @Override
        public Value convert(Duration span) {
            return Values.value(span.getSeconds() * 10_000_000L + span.getNano() / 100);
        }
    }"""


def _enum_converters(name: str, type_: EnumType) -> list[str]:
    accessor = "asString" if is_text(type_) else "asInt"
    return f"""\
    @ReadingConverter
    private static final class {name}Reader implements Converter<Value, {name}> {{
        @Override
        public {name} convert(Value stored) {{
            return {name}.ofStored(stored.{accessor}());
        }}
    }}

    @WritingConverter
    private static final class {name}Writer implements Converter<{name}, Value> {{
        @Override
        public Value convert({name} value) {{
            return Values.value(value.stored());
        }}
    }}""".split("\n")


# -- schema ----------------------------------------------------------------------------------------------------------


def schema_script(graph: Graph) -> str:
    """Constraints and indexes, as cypher-shell takes them: keys are unique, foreign keys are looked up."""
    lines = ["// Keys are unique; what joins and filters look up has an index. Run once, before rows are loaded."]
    for node in graph.mapping.nodes:
        entity = graph.entity(node.entity)
        if entity.base is not None or not entity.key:
            continue
        name = node.key or graph.stored(node.entity, entity.key[0]).name
        lines.append(_constraint(node.label, name))
    for link in graph.mapping.foreign_keys:
        key = link.foreign_key
        names = [graph.stored(key.dependent, p).name for p in key.properties]
        label = graph.node(key.dependent)
        if label is not None and tuple(key.properties) != graph.key(key.dependent):
            properties = ", ".join(f"n.{quoted(n)}" for n in names)
            index = quoted("_".join((label.label, *names)))
            lines.append(f"CREATE INDEX {index} IF NOT EXISTS FOR (n:{quoted(label.label)}) ON ({properties});")
    return "\n".join(lines) + "\n"


def _constraint(label: str, name: str) -> str:
    return (
        f"CREATE CONSTRAINT {quoted(f'{label}_{name}')} IF NOT EXISTS "
        f"FOR (n:{quoted(label)}) REQUIRE n.{quoted(name)} IS UNIQUE;"
    )


def readme(java: int, methods: Sequence[JavaMethod], refused: Sequence[tuple[str, Diagnostic]]) -> str:
    rows = [f"| `{m.id}` | `{m.class_name}.{m.name}` |" for m in methods]
    first = methods[0] if methods else None
    use = "..."
    if first is not None:
        arguments = ", ".join(n for _, n in first.parameters)
        use = f"new {first.class_name}(client, GraphConfig.mapping()).{first.name}({arguments})"
    left_out = ["", "## Not translated", "", *(f"- `{name}`: {why(d)}" for name, d in refused)] if refused else []
    return "\n".join(
        [
            "# Queries for Spring Data Neo4j",
            "",
            f"Needs Java {java}, Maven and Neo4j 5.23 or later. Build with `mvn compile`.",
            "",
            "## Use",
            "",
            "```java",
            "var driver = GraphDatabase.driver(uri, AuthTokens.basic(user, password));",
            'var client = GraphConfig.client(driver, "neo4j");',
            f"var result = {use};",
            "```",
            "",
            "In a Spring Boot application `GraphConfig` and the query classes are found by component scanning; Boot makes the",
            "client and the mapping context from `spring.neo4j.uri`.",
            "",
            "First, Single, Max and the like throw `NoSuchElementException` when there is nothing, Single of several rows the",
            "driver's `NoSuchRecordException`; the OrDefault forms return null or what C# has for a number that is not there, 0.",
            "",
            "## How values are stored",
            "",
            "decimal as an integer of the scale that mapping.yaml gives (12.50 of scale 2 is 1250), DateTime as a local",
            "date-time (UTC), DateTimeOffset as a date-time with a zone, always UTC (Neo4j takes one instant in two zones for",
            "two values), TimeSpan as ticks of 100 ns, Guid as text, enums as the source's database held them. A missing property means null. `schema.cypher` has the constraints.",
            "",
            "Node classes have those relationships that a query loads. Do not save such an object back when it was read",
            "without them: Spring would remove what it does not see.",
            "",
            "## Queries",
            "",
            "| C# | Java |",
            "|---|---|",
            *rows,
            *left_out,
            "",
        ]
    )
