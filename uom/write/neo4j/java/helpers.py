"""Small classes of the generated code that queries and node classes call."""

from __future__ import annotations

from collections.abc import Collection

from uom.write.java.source import Imports, java_file
from uom.write.java.texts import text_helpers

_COLUMNS = """\
/** Values of the graph as Java has them: decimals are stored as integers of a fixed scale, spans as 100 ns ticks. */
public final class Columns {
    private Columns() {}

    /** What is read of the value, or null where there is none. */
    public static <T> T orNull(Value value, Function<Value, T> read) {
        return value.isNull() ? null : read.apply(value);
    }

    /** Fails where there is no value, as asLong does. */
    public static BigDecimal decimal(Value value, int scale) {
        return BigDecimal.valueOf(value.asLong(), scale);
    }

    public static BigDecimal decimalOrNull(Value value, int scale) {
        return value.isNull() ? null : decimal(value, scale);
    }

    /** A quotient that Neo4j left as [dividend, divisor]. */
    public static BigDecimal quotient(Value value, int scale) {
        if (value.isNull() || value.get(0).isNull() || value.get(1).isNull()) {
            return null;
        }
        BigDecimal dividend = BigDecimal.valueOf(value.get(0).asLong(), scale);
        return dividend.divide(BigDecimal.valueOf(value.get(1).asLong()), MathContext.DECIMAL128);
    }

    /** An average that Neo4j left as [sum, count]; none of no rows. */
    public static BigDecimal average(Value value, int scale) {
        return value.isNull() || value.get(1).asLong() == 0 ? null : quotient(value, scale);
    }

    /** The integer that stands for the decimal. */
    public static long scaled(BigDecimal value, int scale, RoundingMode rounding) {
        return value.setScale(scale, rounding).unscaledValue().longValueExact();
    }

    public static Instant instant(Value value) {
        return value.asLocalDateTime().toInstant(ZoneOffset.UTC);
    }

    public static Instant zonedInstant(Value value) {
        return value.asZonedDateTime().toInstant();
    }

    public static Duration span(Value value) {
        long ticks = value.asLong();
        return Duration.ofSeconds(Math.floorDiv(ticks, 10_000_000L), Math.floorMod(ticks, 10_000_000L) * 100);
    }

    public static UUID uuid(Value value) {
        return UUID.fromString(value.asString());
    }

    public static Character character(Value value) {
        return value.asString().charAt(0);
    }

    public static Float single(Value value) {
        return (float) value.asDouble();
    }
}"""

_ENTITIES = """\
/** Reads nodes with Spring's own mapping. */
public final class Entities {
    private final Neo4jMappingContext mapping;

    public Entities(Neo4jMappingContext mapping) {
        this.mapping = mapping;
    }

    /** The entity, or null where there is no node. */
    public <T> T read(Class<T> type, Value node) {
        return node.isNull() ? null : mapping.getRequiredMappingFunctionFor(type).apply(TypeSystem.getDefault(), node);
    }
}"""

_DECIMALS = """\
/** Decimals in node classes: integers of a fixed scale. */
public final class Decimals {{
    private Decimals() {{}}

    private abstract static class Scaled implements Neo4jPersistentPropertyConverter<BigDecimal> {{
        private final int scale;

        Scaled(int scale) {{
            this.scale = scale;
        }}

        @Override
        public Value write(BigDecimal value) {{
            return value == null ? Values.NULL : Values.value(Columns.scaled(value, scale, RoundingMode.UNNECESSARY));
        }}

        @Override
        public BigDecimal read(Value stored) {{
            return Columns.decimalOrNull(stored, scale);
        }}
    }}
{scales}
}}"""

_SCALE = """
    public static final class Scaled{scale} extends Scaled {{
        public Scaled{scale}() {{
            super({scale});
        }}
    }}"""

_ZONED = """\
/** Instants that are stored with a zone. */
public final class ZonedInstants implements Neo4jPersistentPropertyConverter<Instant> {
    @Override
    public Value write(Instant value) {
        return value == null ? Values.NULL : Values.value(value.atZone(ZoneOffset.UTC));
    }

    @Override
    public Instant read(Value stored) {
        return Columns.orNull(stored, Columns::zonedInstant);
    }
}"""

_SINGLES = """\
/** Numbers of 32 bits, which the graph keeps with 64. */
public final class Singles implements Neo4jPersistentPropertyConverter<Float> {
    @Override
    public Value write(Float value) {
        return value == null ? Values.NULL : Values.value(value.doubleValue());
    }

    @Override
    public Float read(Value stored) {
        return Columns.orNull(stored, Columns::single);
    }
}"""

_LIKE = """\
/** SQL's LIKE patterns as regular expressions. */
public final class LikePattern {
    private LikePattern() {}

    /**
     * @param escape the escape character, or empty text
     * @param classes whether the pattern was written for a database that knows [a-z], which is not supported
     */
    public static String regex(String pattern, String escape, boolean classes) {
        return "(?s)" + translated(pattern, escape, classes);
    }

    public static String regexIgnoringCase(String pattern, String escape, boolean classes) {
        return "(?siu)" + translated(pattern, escape, classes);
    }

    private static String translated(String pattern, String escape, boolean classes) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (!escape.isEmpty() && c == escape.charAt(0)) {
                if (++i == pattern.length()) {
                    throw new IllegalArgumentException("the pattern ends with its escape character: " + pattern);
                }
                regex.append(literal(pattern.charAt(i)));
            } else if (c == '%' || c == '_') {
                regex.append(c == '%' ? ".*" : ".");
            } else if (c == '[' && classes) {
                throw new IllegalArgumentException("character classes are not supported: " + pattern);
            } else {
                regex.append(literal(c));
            }
        }
        return regex.toString();
    }

    private static String literal(char c) {
        return Character.isLetterOrDigit(c) || Character.isSurrogate(c) || c > 127 ? Character.toString(c) : "\\\\" + c;
    }
}"""

_CONVERTER = "org.springframework.data.neo4j.core.convert.Neo4jPersistentPropertyConverter"
_COLUMN_IMPORTS = (
    "java.math.BigDecimal", "java.math.MathContext", "java.math.RoundingMode", "java.time.Duration",
    "java.time.Instant", "java.time.ZoneOffset", "java.util.UUID", "java.util.function.Function",
    "org.neo4j.driver.Value",
)  # fmt: skip
_ENTITY_IMPORTS = (
    "org.neo4j.driver.Value",
    "org.neo4j.driver.types.TypeSystem",
    "org.springframework.data.neo4j.core.mapping.Neo4jMappingContext",
)
_DECIMAL_IMPORTS = (
    "java.math.BigDecimal", "java.math.RoundingMode", "org.neo4j.driver.Value", "org.neo4j.driver.Values", _CONVERTER
)  # fmt: skip
_ZONED_IMPORTS = (
    "java.time.Instant", "java.time.ZoneOffset", "org.neo4j.driver.Value", "org.neo4j.driver.Values", _CONVERTER
)  # fmt: skip


_SINGLE_IMPORTS = ("org.neo4j.driver.Value", "org.neo4j.driver.Values", _CONVERTER)
_FILES = {"LikePattern": ((), _LIKE), "ZonedInstants": (_ZONED_IMPORTS, _ZONED), "Singles": (_SINGLE_IMPORTS, _SINGLES)}


def helper_files(package: str, helpers: Collection[str]) -> dict[str, str]:
    """Class name -> text of the small classes that the bundle calls."""
    files = text_helpers(package, helpers)
    scales = sorted(int(h.removeprefix("Scaled")) for h in helpers if h.startswith("Scaled"))
    if scales:
        text = _DECIMALS.format(scales="\n".join(_SCALE.format(scale=scale) for scale in scales))
        files["Decimals"] = _file(package, _DECIMAL_IMPORTS, text)
    for name, (classes, text) in _FILES.items():
        if name in helpers:
            files[name] = _file(package, classes, text)
    if scales or "Columns" in helpers or any(name in helpers for name in ("ZonedInstants", "Singles")):
        files["Columns"] = _file(package, _COLUMN_IMPORTS, _COLUMNS)
    if "Entities" in helpers:
        files["Entities"] = _file(package, _ENTITY_IMPORTS, _ENTITIES)
    return files


def _file(package: str, classes: Collection[str], text: str) -> str:
    imports = Imports(package)
    for name in classes:
        imports.use(name)
    return java_file(package, imports, text.split("\n"))
