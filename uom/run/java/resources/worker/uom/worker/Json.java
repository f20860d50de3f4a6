package uom.worker;

import java.util.HexFormat;

/** Just enough JSON for answers. */
final class Json {
    private final StringBuilder text = new StringBuilder("{");

    Json put(String name, String value) {
        return raw(name, quote(value));
    }

    Json put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    Json put(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    Json raw(String name, String json) {
        text.append(text.length() == 1 ? "" : ",").append(quote(name)).append(':').append(json);
        return this;
    }

    @Override
    public String toString() {
        return text + "}";
    }

    private static String quote(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c == '\n') {
                quoted.append("\\n");
            } else if (c < ' ' || Character.isSurrogate(c)) {
                quoted.append("\\u").append(HexFormat.of().toHexDigits(c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
