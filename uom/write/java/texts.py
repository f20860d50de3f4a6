"""Helper classes of the generated code for text and numbers, as .NET and databases have them."""

from __future__ import annotations

from collections.abc import Collection

from uom.write.java.source import Imports, java_file

_LETTER_CASE = r"""
/** Lower and upper case letter by letter, as databases and .NET have it: ß stays what it is. */
enum LetterCase {
    LOWER(Character::toLowerCase, "\u0130"),
    UPPER(Character::toUpperCase, "\u0131\u017f");

    private final IntUnaryOperator change;
    private final String kept;
    private final Map<Integer, String> origins = new HashMap<>();

    LetterCase(IntUnaryOperator change, String kept) {
        this.change = change;
        this.kept = kept;
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            int changed = change.applyAsInt(c);
            if (changed != c) {
                origins.merge(changed, Character.toString(c), String::concat);
            }
        }
    }

    /** The text in this case, as .NET's invariant culture has it, which keeps a few letters. */
    String of(String text) {
        StringBuilder result = new StringBuilder();
        text.codePoints().forEach(c -> result.appendCodePoint(kept.indexOf(c) >= 0 ? c : change.applyAsInt(c)));
        return result.toString();
    }

    /** The text in this case, as databases have it. */
    String inDatabase(String text) {
        StringBuilder result = new StringBuilder();
        text.codePoints().forEach(c -> result.appendCodePoint(change.applyAsInt(c)));
        return result.toString();
    }

    /** All letters that a database turns into this one. */
    String becoming(int letter) {
        String itself = change.applyAsInt(letter) == letter ? Character.toString(letter) : "";
        return itself + origins.getOrDefault(letter, "");
    }
}"""


_NUMBERS = r"""
/** Numbers as text, as .NET's invariant culture writes them: midpoints are rounded away from zero. */
final class Numbers {
    private Numbers() {}

    /** 1234.5 with two digits is 1234.50. */
    static String fixed(BigDecimal number, int digits) {
        return number.setScale(digits, RoundingMode.HALF_UP).toPlainString();
    }

    /** 1234.5 with two digits is 1,234.50. */
    static String grouped(BigDecimal number, int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", number.setScale(digits, RoundingMode.HALF_UP));
    }
}"""


_WHITE_SPACE = r"""
/** White space as .NET has it, which counts fixed spaces, too. */
final class WhiteSpace {
    private WhiteSpace() {}

    static boolean isBlank(String text) {
        return text == null || text.codePoints().allMatch(WhiteSpace::isWhite);
    }

    static String trim(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isWhite(text.charAt(start))) {
            start++;
        }
        while (start < end && isWhite(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isWhite(int c) {
        return Character.isSpaceChar(c) || c >= '\t' && c <= '\r' || c == 0x85;
    }
}"""


def text_helpers(package: str, helpers: Collection[str]) -> dict[str, str]:
    """Class name -> text of those that are asked for."""
    files: dict[str, str] = {}
    if "WhiteSpace" in helpers:
        files["WhiteSpace"] = java_file(package, Imports(package), _WHITE_SPACE.strip().split("\n"))
    if "Numbers" in helpers:
        imports = Imports(package)
        for name in ("java.math.BigDecimal", "java.math.RoundingMode", "java.util.Locale"):
            imports.use(name)
        files["Numbers"] = java_file(package, imports, _NUMBERS.strip().split("\n"))
    if "LetterCase" in helpers:
        imports = Imports(package)
        for name in ("java.util.HashMap", "java.util.Map", "java.util.function.IntUnaryOperator"):
            imports.use(name)
        files["LetterCase"] = java_file(package, imports, _LETTER_CASE.strip().split("\n"))
    return files
