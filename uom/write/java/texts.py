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


_DOT_NET_MATH = r"""
/** Arithmetic as .NET does it, where Java's own gives other results. */
final class DotNetMath {
    private static final int PLACES = 28;
    private static final int BITS = 96;
    private static final int DIGITS = 15;
    private static final double WHOLE = 1e16;

    private DotNetMath() {}

    static BigDecimal add(BigDecimal left, BigDecimal right) {
        return fitted(left.add(right));
    }

    static BigDecimal subtract(BigDecimal left, BigDecimal right) {
        return fitted(left.subtract(right));
    }

    static BigDecimal multiply(BigDecimal left, BigDecimal right) {
        return fitted(left.multiply(right));
    }

    static BigDecimal divide(BigDecimal left, BigDecimal right) {
        for (int scale = PLACES; scale >= 0; scale--) {
            BigDecimal quotient = left.divide(right, scale, RoundingMode.HALF_EVEN);
            if (fits(quotient)) {
                int places = Math.max(left.scale() - right.scale(), quotient.stripTrailingZeros().scale());
                return quotient.setScale(Math.min(Math.max(places, 0), scale));
            }
        }
        throw tooLarge();
    }

    /** A decimal has 96 bits and at most 28 decimal places; what does not fit is rounded half to even. */
    private static BigDecimal fitted(BigDecimal exact) {
        for (int scale = Math.max(Math.min(exact.scale(), PLACES), 0); scale >= 0; scale--) {
            BigDecimal rounded = exact.setScale(scale, RoundingMode.HALF_EVEN);
            if (fits(rounded)) {
                return rounded;
            }
        }
        throw tooLarge();
    }

    private static boolean fits(BigDecimal number) {
        return number.unscaledValue().abs().bitLength() <= BITS;
    }

    private static ArithmeticException tooLarge() {
        return new ArithmeticException("the number is too large for a decimal");
    }

    /** Fails for the smallest number by -1, whose quotient is no int. */
    static int divide(int left, int right) {
        return right == -1 ? Math.negateExact(left) : left / right;
    }

    static long divide(long left, long right) {
        return right == -1 ? Math.negateExact(left) : left / right;
    }

    static int remainder(int left, int right) {
        return left - divide(left, right) * right;
    }

    static long remainder(long left, long right) {
        return left - divide(left, right) * right;
    }

    /** Half to even, by way of a power of ten: 1.355 to two digits is 1.36. */
    static double round(double number, int digits) {
        checkDigits(digits, DIGITS);
        double power = BigDecimal.TEN.pow(digits).doubleValue();
        return Math.abs(number) < WHOLE ? Math.rint(number * power) / power : number;
    }

    /** Half to even. */
    static BigDecimal round(BigDecimal number, int digits) {
        checkDigits(digits, PLACES);
        return number.setScale(digits, RoundingMode.HALF_EVEN);
    }

    private static void checkDigits(int digits, int most) {
        if (digits < 0 || digits > most) {
            throw new IllegalArgumentException("a number cannot be rounded to " + digits + " digits");
        }
    }

    static double truncate(double number) {
        return number < 0 ? Math.ceil(number) : Math.floor(number);
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
    if "DotNetMath" in helpers:
        imports = Imports(package)
        for name in ("java.math.BigDecimal", "java.math.RoundingMode"):
            imports.use(name)
        files["DotNetMath"] = java_file(package, imports, _DOT_NET_MATH.strip().split("\n"))
    if "LetterCase" in helpers:
        imports = Imports(package)
        for name in ("java.util.HashMap", "java.util.Map", "java.util.function.IntUnaryOperator"):
            imports.use(name)
        files["LetterCase"] = java_file(package, imports, _LETTER_CASE.strip().split("\n"))
    return files
