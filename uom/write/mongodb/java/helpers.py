"""Small classes of the generated code that queries call."""

from __future__ import annotations

from uom.write.java.source import Imports, java_file
from uom.write.java.texts import text_helpers

_STAGE_PARAMETERS = """\
/** Puts values into stages: `?0` in the text stands for the first of them. */
final class StageParameters {
    private StageParameters() {}

    /** The stage as a document. Values are bound, never pasted into the text. */
    static Document bind(String stage, Object... values) {
        return new ParameterBindingDocumentCodec().decode(stage, values);
    }
}"""

_TEXT_PATTERNS = r"""
/** Regular expressions that find just the given text. */
final class TextPatterns {
    private static final String SPECIAL = "\\^$.|?*+()[]{}-#/";

    private TextPatterns() {}

    static String containing(String text) {
        return escaped(text);
    }

    static String startingWith(String text) {
        return "^" + escaped(text);
    }

    /** `$` alone would also match before a final line feed. */
    static String endingWith(String text) {
        return escaped(text) + "$(?!\\n)";
    }
%s
    /** Nothing is found without a text to find. */
    private static String escaped(String text) {
        if (text == null) {
            return "(?!)";
        }
        StringBuilder pattern = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (SPECIAL.indexOf(c) >= 0) {
                pattern.append('\\');
            }
            pattern.append(c);
        }
        return pattern.toString();
    }
}"""

_FOLDED_PATTERNS = r"""
    /** Finds texts that contain the given one once their letters are in that case. */
    static String containing(String text, LetterCase letters) {
        return folded(text, letters);
    }

    static String startingWith(String text, LetterCase letters) {
        return "^" + folded(text, letters);
    }

    static String endingWith(String text, LetterCase letters) {
        return folded(text, letters) + "$(?!\n)";
    }

    static String equalTo(String text, LetterCase letters) {
        return "^" + folded(text, letters) + "$(?!\n)";
    }

    /** Nothing is found when the given text itself is not in that case. */
    private static String folded(String text, LetterCase letters) {
        StringBuilder pattern = new StringBuilder();
        for (int c : text.codePoints().toArray()) {
            String same = letters.becoming(c);
            if (same.isEmpty()) {
                return "(?!)";
            }
            boolean one = same.codePointCount(0, same.length()) == 1;
            pattern.append(one ? escaped(same) : "[" + same + "]");
        }
        return pattern.toString();
    }
"""


def helper_files(package: str, helpers: set[str]) -> dict[str, str]:
    """Class name -> text of the small classes that queries call."""
    files = text_helpers(package, helpers)
    if "StageParameters" in helpers:
        imports = Imports(package)
        imports.use("org.bson.Document")
        imports.use("org.springframework.data.mongodb.util.json.ParameterBindingDocumentCodec")
        files["StageParameters"] = java_file(package, imports, _STAGE_PARAMETERS.split("\n"))
    if "TextPatterns" in helpers:
        text = _TEXT_PATTERNS.replace("%s", _FOLDED_PATTERNS if "LetterCase" in helpers else "")
        files["TextPatterns"] = java_file(package, Imports(package), text.strip().split("\n"))
    return files
