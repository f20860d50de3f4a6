"""What ResultWriter makes of Java values, and what the reader makes of that."""

from __future__ import annotations

from decimal import Decimal

import pytest

from uom.run.java.results import parse
from uom.run.java.sources import service_sources
from uom.run.java.worker import JavaWorker, RunStatus

# Java expression -> the JSON that it must become, character by character.
CASES = {
    "null": "null",
    "true": "true",
    "(byte) -1": "-1",
    "Long.MIN_VALUE": "-9223372036854775808",
    "1.5f": "1.5",
    "0.1": "0.1",
    "1e21": "1.0E21",
    "-0.0": "-0.0",
    "Double.NaN": '"NaN"',
    "Float.NEGATIVE_INFINITY": '"-Infinity"',
    'new BigDecimal("1E+3")': '"1000"',
    'new BigDecimal("10.50")': '"10.50"',
    'new BigDecimal("1E-10")': '"0.0000000001"',
    'new BigInteger("123456789012345678901234567890")': '"123456789012345678901234567890"',
    'Decimal128.parse("1.50")': '"1.50"',
    "Decimal128.NaN": '"NaN"',
    "Decimal128.NEGATIVE_ZERO": '"-0"',
    "'x'": '"x"',
    r'"a\"b\\c\n\t\u0001\u007f"': r'"a\"b\\c\n\t\u0001\u007f"',
    '"ž \\uD83D\\uDE00 \\uD83D \\uDE00"': '"ž 😀 \\ud83d \\ude00"',
    '"a\\u2028b\\u0085c"': '"a\\u2028b\\u0085c"',
    "DayOfWeek.MONDAY": '"MONDAY"',
    "Shape.ROUND": '"ROUND"',
    "Instant.EPOCH": '"1970-01-01T00:00:00Z"',
    "Instant.ofEpochSecond(0, 123456700)": '"1970-01-01T00:00:00.123456700Z"',
    "new Date(1)": '"1970-01-01T00:00:00.001Z"',
    "LocalDate.of(2024, 2, 29)": '"2024-02-29"',
    "LocalDateTime.of(2024, 1, 2, 3, 0)": '"2024-01-02T03:00:00"',
    "LocalTime.of(3, 0)": '"03:00:00"',
    "OffsetDateTime.of(2024, 1, 2, 3, 4, 0, 500, ZoneOffset.ofHours(2))": '"2024-01-02T03:04:00.0000005+02:00"',
    "Duration.ofMinutes(90)": '"PT1H30M"',
    "new UUID(1, 2)": '"00000000-0000-0001-0000-000000000002"',
    "new byte[] {1, 2, 3}": '"AQID"',
    "new org.bson.types.Binary(new byte[] {1, 2, 3})": '"AQID"',
    'new org.bson.types.ObjectId("507f1f77bcf86cd799439011")': '"507f1f77bcf86cd799439011"',
    "Optional.of(Optional.of(1))": "1",
    "Optional.empty()": "null",
    "OptionalInt.of(3)": "3",
    "List.of(1, List.of(2))": "[1,[2]]",
    "new int[] {1, 2}": "[1,2]",
    "new char[] {'a'}": '["a"]',
    "Stream.of(1, 2)": "[1,2]",
    'new Document("a", 1).append("b", Arrays.asList((Object) null))': '{"a":1,"b":[null]}',
    "new TreeMap<>(Map.of(1, 2, 3, 4))": '{"1":2,"3":4}',
    'new Point(1, new BigDecimal("2.0"))': '{"x":1,"y":"2.0"}',
    "new Derived()": '{"$type":"Derived","zulu":1,"alpha":"a","self":null,"extra":[]}',
    "cyclic()": "[1,null]",
    "shared()": "[[1],[1]]",
    "Shape.class": '"class a.Main$Shape"',
    "new java.util.concurrent.atomic.AtomicInteger(5)": '"5"',
}

MAIN = """\
package a;
import java.math.*; import java.time.*; import java.util.*; import java.util.stream.*;
import org.bson.*; import org.bson.types.*;
public class Main {
    enum Shape { ROUND { }, SQUARE }
    record Point(int x, BigDecimal y) {}
    static class Base { static int ignored = 1; transient int skipped = 2; private int zulu = 1; protected String alpha = "a"; }
    static class Derived extends Base { private final Object self = this; public List<String> extra = new ArrayList<>(); }
    static Object cyclic() { List<Object> list = new ArrayList<>(); list.add(1); list.add(list); return list; }
    static Object shared() { List<Integer> one = List.of(1); return List.of(one, one); }
    public static void main(String[] args) {
        StringBuilder out = new StringBuilder();
%s
        System.out.print(out);
    }
}
"""


@pytest.fixture(scope="module")
def written(worker: JavaWorker) -> list[str]:
    """All values at once: one bundle."""
    lines = "\n".join(f"        uom.services.ResultWriter.write({java}, out); out.append('\\n');" for java in CASES)
    files = {**dict(service_sources("mongodb")), "a/Main.java": MAIN % lines}
    result = worker.run(files, "a.Main", release=17)
    assert result.status == RunStatus.OK, (result.diagnostics, result.trace)
    return result.stdout.split("\n")


@pytest.mark.parametrize(("position", "java"), list(enumerate(CASES)), ids=CASES)
def test_value(written: list[str], position: int, java: str) -> None:
    assert written[position] == CASES[java]
    parse(written[position])


def test_decimals_stay_exact() -> None:
    assert parse("[0.1, 1.0E21, 12345678901234567890.5]") == [
        Decimal("0.1"),
        Decimal("1.0E21"),
        Decimal("12345678901234567890.5"),
    ]
