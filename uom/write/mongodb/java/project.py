"""The files around the queries: configuration, helpers, pom.xml, README."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from uom.model.bundle import JavaMethod
from uom.model.diagnostics import Diagnostic
from uom.model.types import EnumType
from uom.write.java.classes import is_text
from uom.write.java.project import why
from uom.write.java.source import Imports, java_file, string_literal
from uom.write.java.types import JavaModel
from uom.write.mongodb.location import Locations


def configuration_file(
    package: str, model: JavaModel, hierarchies: Sequence[str], type_key: str, java_types: Collection[str]
) -> str:
    """`MongoConfig`: how values are stored. Works as a Spring @Configuration and on its own.

    `java_types` names the classes among Duration and BigDecimal that rows or parameters are made of.
    """
    imports = Imports(package)
    imports.taken.update((name, f"{model.package}.{name}") for name in sorted(model.enums))
    converters = sorted(model.enums)
    uses = {name: imports.use(qualified) for name, qualified in _CONFIG_CLASSES.items()}
    registered = [f"new {name}Reader(), new {name}Writer()" for name in converters]
    if "java.time.Duration" in java_types:
        registered.append("new DurationReader(), new DurationWriter()")
        imports.use("java.time.Duration")
    if "java.math.BigDecimal" in java_types:
        registered.append("new BigDecimalReader()")
        imports.use("java.math.BigDecimal")
        imports.use("org.bson.types.Decimal128")
    if registered:
        only_reads = registered == ["new BigDecimalReader()"]
        for name in ("Converter", "ReadingConverter", *(() if only_reads else ("WritingConverter",))):
            imports.use(_CONVERTER_CLASSES[name])
        listed = f"{imports.use('java.util.List')}.of(\n                        " + (
            ",\n                        ".join(registered) + ")"
        )
        own = f"\n                .registerConverters({listed}"
        own += ")"
    else:
        own = ""
    types = ", ".join(f"{imports.use(f'{model.package}.{name}')}.class" for name in hierarchies)
    initial = f"        context.setInitialEntitySet({imports.use('java.util.Set')}.of({types}));\n" if types else ""
    typed = f"        converter.setTypeMapper(new {uses['TypeMapper']}("
    if types:  # without the second mapper of the default, only types of hierarchies are written
        aliases = imports.use("org.springframework.data.convert.MappingContextTypeInformationMapper")
        mappers = f"{imports.use('java.util.List')}.of(new {aliases}(context))"
        mapper = f"{typed}\n                {string_literal(type_key)}, {mappers}));"
    else:
        mapper = f"{typed}null));"
    body = _CONFIG.format(own=own, initial=initial, mapper=mapper, **uses).rstrip("\n")
    lines = body.split("\n")
    for name in converters:
        lines += ["", *_enum_converters(name, model.enums[name])]
    if "java.time.Duration" in java_types:
        lines += ["", *_SPAN_CONVERTERS.split("\n")]
    if "java.math.BigDecimal" in java_types:
        lines += ["", *_DECIMAL_READER.split("\n")]
    return java_file(package, imports, [*lines, "}"])


_CONFIG_CLASSES = {
    "MongoClient": "com.mongodb.client.MongoClient",
    "MongoClientSettings": "com.mongodb.MongoClientSettings",
    "ConnectionString": "com.mongodb.ConnectionString",
    "UuidRepresentation": "org.bson.UuidRepresentation",
    "MongoTemplate": "org.springframework.data.mongodb.core.MongoTemplate",
    "Factory": "org.springframework.data.mongodb.MongoDatabaseFactory",
    "SimpleFactory": "org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory",
    "Bean": "org.springframework.context.annotation.Bean",
    "Resolver": "org.springframework.data.mongodb.core.convert.DefaultDbRefResolver",
    "TypeMapper": "org.springframework.data.mongodb.core.convert.DefaultMongoTypeMapper",
    "MappingConverter": "org.springframework.data.mongodb.core.convert.MappingMongoConverter",
    "Conversions": "org.springframework.data.mongodb.core.convert.MongoCustomConversions",
    "Decimals": "org.springframework.data.mongodb.core.convert.MongoCustomConversions.BigDecimalRepresentation",
    "Context": "org.springframework.data.mongodb.core.mapping.MongoMappingContext",
    "Configuration": "org.springframework.context.annotation.Configuration",
}
_CONVERTER_CLASSES = {
    "Converter": "org.springframework.core.convert.converter.Converter",
    "ReadingConverter": "org.springframework.data.convert.ReadingConverter",
    "WritingConverter": "org.springframework.data.convert.WritingConverter",
}

_CONFIG = """\
/** How values are stored: decimals as Decimal128, dates in UTC, enums as the source's database held them. */
@{Configuration}(proxyBeanMethods = false)
public class MongoConfig {{

    /** For applications that build their own client: UUIDs are stored as binary subtype 4. */
    public static {MongoClientSettings} settings(String uri) {{
        return {MongoClientSettings}.builder()
                .applyConnectionString(new {ConnectionString}(uri))
                .uuidRepresentation({UuidRepresentation}.STANDARD)
                .build();
    }}

    /** The beans below for programs without a Spring container. */
    public static {MongoTemplate} template({MongoClient} client, String database) {{
        var config = new MongoConfig();
        var factory = new {SimpleFactory}(client, database);
        var conversions = config.mongoCustomConversions();
        var context = config.mongoMappingContext(conversions);
        context.afterPropertiesSet();
        var converter = config.mappingMongoConverter(factory, context, conversions);
        converter.afterPropertiesSet();
        return config.mongoTemplate(factory, converter);
    }}

    @{Bean}
    {Conversions} mongoCustomConversions() {{
        return {Conversions}.create(adapter -> adapter
                .bigDecimal({Decimals}.DECIMAL128)
                .useNativeDriverJavaTimeCodecs(){own});
    }}

    @{Bean}
    {Context} mongoMappingContext({Conversions} conversions) {{
        var context = new {Context}();
        context.setSimpleTypeHolder(conversions.getSimpleTypeHolder());
{initial}        return context;
    }}

    @{Bean}
    {MappingConverter} mappingMongoConverter(
            {Factory} factory, {Context} context, {Conversions} conversions) {{
        var converter = new {MappingConverter}(new {Resolver}(factory), context);
        converter.setCustomConversions(conversions);
{mapper}
        return converter;
    }}

    @{Bean}
    {MongoTemplate} mongoTemplate({Factory} factory, {MappingConverter} converter) {{
        return new {MongoTemplate}(factory, converter);
    }}
"""


def _enum_converters(name: str, type_: EnumType) -> list[str]:
    java = "String" if is_text(type_) else "Integer"
    return f"""\
    @ReadingConverter
    private static final class {name}Reader implements Converter<{java}, {name}> {{
        @Override
        public {name} convert({java} stored) {{
            return {name}.ofStored(stored);
        }}
    }}

    @WritingConverter
    private static final class {name}Writer implements Converter<{name}, {java}> {{
        @Override
        public {java} convert({name} value) {{
            return value.stored();
        }}
    }}""".split("\n")


_DECIMAL_READER = """\
    /** MongoDB computes a negative zero, which no BigDecimal can be. */
    @ReadingConverter
    private static final class BigDecimalReader implements Converter<Decimal128, BigDecimal> {
        @Override
        public BigDecimal convert(Decimal128 stored) {
            return new BigDecimal(stored.toString());
        }
    }"""

_SPAN_CONVERTERS = """\
    /** A span of time is stored as ticks of 100 nanoseconds. */
    @ReadingConverter
    private static final class DurationReader implements Converter<Long, Duration> {
        @Override
        public Duration convert(Long ticks) {
            return Duration.ofSeconds(Math.floorDiv(ticks, 10_000_000L), Math.floorMod(ticks, 10_000_000L) * 100);
        }
    }

    @WritingConverter
    private static final class DurationWriter implements Converter<Duration, Long> {
        @Override
        public Long convert(Duration span) {
            return span.getSeconds() * 10_000_000L + span.getNano() / 100;
        }
    }"""


def readme(
    java: int, methods: Sequence[JavaMethod], refused: Sequence[tuple[str, Diagnostic]], indexes: Sequence[str]
) -> str:
    rows = [f"| `{m.id}` | `{m.class_name}.{m.name}` |" for m in methods]
    first = methods[0] if methods else None
    call = (
        f"new {first.class_name}(mongo).{first.name}({', '.join(n for _, n in first.parameters)})" if first else "..."
    )
    left_out = ["", "## Not translated", "", *(f"- `{name}`: {why(d)}" for name, d in refused)] if refused else []
    return "\n".join(
        [
            "# Queries for Spring Data MongoDB",
            "",
            f"Needs Java {java} and Maven. Build with `mvn compile`.",
            "",
            "## Use",
            "",
            "```java",
            "var client = MongoClients.create(MongoConfig.settings(uri));",
            'var mongo = MongoConfig.template(client, "database");',
            f"var result = {call};",
            "```",
            "",
            "In a Spring Boot application `MongoConfig` and the query classes are found by component scanning; Boot adds the",
            "client from `spring.mongodb.uri`. Set `spring.mongodb.representation.uuid=standard`: without it the driver",
            "refuses UUIDs.",
            "",
            "First, Single, Max and the like throw `NoSuchElementException` when there is nothing, Single of several rows",
            "throws `IncorrectResultSizeDataAccessException`; the OrDefault forms return null",
            "or what C# has for a number that is not there, 0.",
            "",
            "Run the JVM with `-Duser.timezone=UTC` if code outside these classes uses local times.",
            "",
            "## How values are stored",
            "",
            "decimal as Decimal128, DateTime as date (UTC), DateTimeOffset as date (the instant; its offset is not kept),",
            "DateOnly as date at midnight UTC, TimeOnly as that time on 1970-01-01, TimeSpan as int64 ticks of 100 ns,",
            "Guid as binary subtype 4, enums as the source's database held them. A missing field means null.",
            "A key of several columns is a document in `_id`; its fields must have the order of the class's `Key`.",
            "",
            *_index_lines(indexes),
            "## Queries",
            "",
            "| C# | Java |",
            "|---|---|",
            *rows,
            *left_out,
            "",
        ]
    )


def _index_lines(indexes: Sequence[str]) -> list[str]:
    """Spring creates no index by itself; without these each `$lookup` reads the whole collection for each row."""
    if not indexes:
        return []
    intro = "Foreign keys, which `$lookup` searches by. EF Core creates the same ones; Spring creates none by itself."
    return ["## Indexes", "", intro, "", "```js", *indexes, "```", ""]


def index_commands(locations: Locations) -> list[str]:
    """`createIndex` for each foreign key and join column that no key serves, as mongosh takes it."""
    wanted: dict[tuple[str, tuple[str, ...]], None] = {}
    for entity in locations.schema.entities:
        for navigation in entity.navigations:
            key = navigation.foreign_key
            mapped = next((m for m in locations.mapping.entities if key and m.entity == key.dependent), None)
            if key is not None and mapped is not None and mapped.path is None:
                paths = tuple(locations.field(key.dependent, name).path for name in key.properties)
                wanted[(mapped.collection, paths)] = None
    for join in locations.mapping.joins:
        for _, field in join.columns:
            wanted[(join.collection, (field,))] = None
    return [
        f"db.getCollection({json.dumps(collection)}).createIndex({json.dumps(dict.fromkeys(paths, 1))})"
        for collection, paths in sorted(wanted)
        if paths != ("_id",)
    ]
