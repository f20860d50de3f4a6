package uom.services;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.BaseStream;

/**
 * Writes any result as JSON without losing anything: decimals and big integers as text, instants with all their
 * digits, records by component and other objects by field, those of subclasses with their class. An object that contains
 * itself is cut with null.
 */
public final class ResultWriter {
    private static final ClassValue<List<Field>> FIELDS = new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
            return fields(type);
        }
    };
    private static final ClassValue<RecordComponent[]> COMPONENTS = new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            for (RecordComponent component : components) {
                component.getAccessor().setAccessible(true);
            }
            return components;
        }
    };

    private final StringBuilder out;
    private final Map<Object, Object> path = new IdentityHashMap<>();

    private ResultWriter(StringBuilder out) {
        this.out = out;
    }

    /** Appends one value. */
    public static void write(Object value, StringBuilder out) {
        new ResultWriter(out).value(value);
    }

    /** Iterables, streams and arrays other than byte[]. */
    static boolean isSequence(Object value) {
        return value instanceof Iterable<?> && !(value instanceof java.nio.file.Path)
                || value instanceof BaseStream<?, ?>
                || value instanceof Iterator<?>
                || value != null && value.getClass().isArray() && !(value instanceof byte[]);
    }

    /** The elements of a sequence. A stream has them once. */
    static Iterator<?> elements(Object sequence) {
        if (sequence instanceof Iterable<?> iterable) {
            return iterable.iterator();
        }
        if (sequence instanceof BaseStream<?, ?> stream) {
            return stream.iterator();
        }
        return sequence instanceof Iterator<?> iterator ? iterator : arrayElements(sequence);
    }

    /** What an Optional holds, or null. */
    static Object unwrapped(Object value) {
        if (value instanceof Optional<?> optional) {
            return unwrapped(optional.orElse(null));
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? optional.getAsInt() : null;
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? optional.getAsLong() : null;
        }
        if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? optional.getAsDouble() : null;
        }
        return value;
    }

    private void value(Object wrapped) {
        Object value = plain(unwrapped(wrapped));
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof byte[] bytes) {
            string(Base64.getEncoder().encodeToString(bytes));
        } else {
            String text = text(value);
            if (text != null) {
                string(text);
            } else {
                composite(value);
            }
        }
    }

    /** Nodes and values as Neo4j's driver has them: their properties, and what they hold. */
    private static Object plain(Object value) {
        if (value == null || !value.getClass().getName().startsWith("org.neo4j.driver.internal.")) {
            return value;
        }
        if (value.getClass().getPackageName().endsWith(".value")) {
            return plain(call(value, "asObject"));
        }
        try {
            return call(value, value.getClass().getMethod("asMap"));
        } catch (NoSuchMethodException noEntity) {
            return value.toString();
        }
    }

    private void number(Number number) {
        if (number instanceof BigDecimal decimal) {
            string(decimal.toPlainString());
        } else if (number instanceof Integer || number instanceof Long || number instanceof Short || number instanceof Byte) {
            out.append(number);
        } else if (number instanceof Double || number instanceof Float) {
            if (Double.isFinite(number.doubleValue())) {
                out.append(number);
            } else {
                string(number.toString());
            }
        } else if (number instanceof BigInteger) {
            string(number.toString());
        } else if (number.getClass().getName().equals("org.bson.types.Decimal128")) {
            decimal128(number);
        } else { // AtomicInteger, LongAdder, ...
            string(number.toString());
        }
    }

    /** NaN, the infinities and minus zero have no BigDecimal. */
    private void decimal128(Number number) {
        try {
            string(((BigDecimal) call(number, "bigDecimalValue")).toPlainString());
        } catch (ArithmeticException special) {
            string(number.toString());
        }
    }

    /** Values that are one piece of text; null for objects that have parts. */
    private static String text(Object value) {
        if (value instanceof CharSequence || value instanceof Character) {
            return value.toString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value instanceof Date date) {
            return date.toInstant().toString();
        }
        if (value instanceof LocalDateTime time) { // toString leaves out seconds that are zero
            return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time);
        }
        if (value instanceof LocalTime time) {
            return DateTimeFormatter.ISO_LOCAL_TIME.format(time);
        }
        if (value instanceof OffsetDateTime time) {
            return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time);
        }
        if (value instanceof ZonedDateTime time) {
            return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time);
        }
        String type = value.getClass().getName();
        if (type.equals("org.bson.types.Binary")) {
            return Base64.getEncoder().encodeToString((byte[]) call(value, "getData"));
        }
        boolean opaque = (type.startsWith("org.bson.") || type.startsWith("java.")) && !(value instanceof Map);
        return opaque && !isSequence(value) ? value.toString() : null;
    }

    private void composite(Object value) {
        if (path.put(value, value) != null) {
            out.append("null");
            return;
        }
        if (isSequence(value)) {
            array(elements(value));
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else {
            object(value);
        }
        path.remove(value);
    }

    private void array(Iterator<?> elements) {
        out.append('[');
        for (boolean first = true; elements.hasNext(); first = false) {
            out.append(first ? "" : ",");
            value(elements.next());
        }
        out.append(']');
    }

    private void map(Map<?, ?> map) {
        out.append('{');
        boolean first = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String text = entry.getKey() == null ? "null" : text(entry.getKey());
            name(first, text == null ? entry.getKey().toString() : text);
            value(entry.getValue());
            first = false;
        }
        out.append('}');
    }

    private void object(Object value) {
        out.append('{');
        boolean first = true;
        if (value instanceof Record) {
            for (RecordComponent component : COMPONENTS.get(value.getClass())) {
                name(first, component.getName());
                value(call(value, component.getAccessor()));
                first = false;
            }
        } else {
            if (value.getClass().getSuperclass() != Object.class) { // of a hierarchy: which class it is tells rows apart
                name(true, "$type");
                string(value.getClass().getSimpleName());
                first = false;
            }
            for (Field field : FIELDS.get(value.getClass())) {
                name(first, field.getName());
                value(read(value, field));
                first = false;
            }
        }
        out.append('}');
    }

    private void name(boolean first, String name) {
        out.append(first ? "" : ",");
        string(name);
        out.append(':');
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                out.append(c).append(text.charAt(++i));
            } else if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c == '\r') {
                out.append("\\r");
            } else if (c == '\t') {
                out.append("\\t");
            } else if (isPlain(c)) {
                out.append(c);
            } else {
                out.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        out.append('"');
    }

    /** Not what some readers take for the end of a line, and not half of a surrogate pair. */
    private static boolean isPlain(char c) {
        return c >= ' ' && c < 0x7f || c > 0x9f && c != 0x2028 && c != 0x2029 && !Character.isSurrogate(c);
    }

    /** Those of superclasses first, each class in the order of its declaration. */
    private static List<Field> fields(Class<?> type) {
        List<Field> found = new ArrayList<>();
        if (type.getSuperclass() != null && type.getSuperclass() != Object.class) {
            found.addAll(FIELDS.get(type.getSuperclass()));
        }
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers()) && !field.isSynthetic()) {
                field.setAccessible(true);
                found.add(field);
            }
        }
        return found;
    }

    private static Object read(Object owner, Field field) {
        try {
            return field.get(owner);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Object call(Object owner, String method) {
        try {
            return call(owner, owner.getClass().getMethod(method));
        } catch (NoSuchMethodException otherVersion) {
            throw new IllegalStateException(otherVersion);
        }
    }

    private static Object call(Object owner, Method method) {
        try {
            return method.invoke(owner);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException exception) {
                throw exception;
            }
            throw new IllegalStateException(thrown.getCause());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Iterator<Object> arrayElements(Object array) {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < Array.getLength(array);
            }

            @Override
            public Object next() {
                return Array.get(array, next++);
            }
        };
    }
}
