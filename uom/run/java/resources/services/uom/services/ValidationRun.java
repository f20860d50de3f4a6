package uom.services;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Calls the translated queries one by one and writes what they return: all rows of a query to a file of its own, and
 * counts, first and last rows and errors to results.json. A query that fails or hangs does not stop the others.
 */
public final class ValidationRun {
    private final Marker marker;
    private final Path folder;
    private final long limitMillis;
    private final Map<String, String> outcomes = new LinkedHashMap<>();
    private RuntimeException unreachable;
    private long savedAt = System.nanoTime();

    /** Calls `invoke` for each query. */
    interface Queries {
        void invoke(ValidationRun run) throws IOException;
    }

    /** Tells a listener on the wire whose statements follow. */
    interface Marker {
        void mark(String text);

        /** Whether this says that there is no server. */
        boolean isUnreachable(RuntimeException failure);
    }

    private ValidationRun(Marker marker, Path folder, long limitMillis) {
        this.marker = marker;
        this.folder = folder;
        this.limitMillis = limitMillis;
    }

    /** All queries, each with its own time limit; prints where results.json is. */
    static void run(Marker marker, Path results, long limitMillis, Queries queries) throws IOException {
        Path folder = results.toAbsolutePath();
        Files.createDirectories(folder);
        ValidationRun run = new ValidationRun(marker, folder, limitMillis);
        queries.invoke(run);
        System.out.println("JSON_PATH=" + run.save());
    }

    /** An argument, else a variable of the environment, else a default. */
    static String setting(String[] arguments, int index, String variable, String otherwise) {
        if (index < arguments.length) {
            return arguments[index];
        }
        String value = System.getenv(variable);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /** Calls one query. The marks around it let a listener on the wire tell queries apart. */
    void invoke(String label, String file, Callable<Object> query) throws IOException {
        long start = System.nanoTime();
        Rows rows;
        try {
            mark("uom:begin:" + label);
            rows = rows(folder.resolve(file), query);
            mark("uom:end:" + label);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException("interrupted", stopped);
        } catch (RuntimeException unreachable) {
            rows = Rows.failed(unreachable.getClass().getName(), String.valueOf(unreachable.getMessage()));
        }
        long now = System.nanoTime();
        outcomes.put(label, rows.json(file, TimeUnit.NANOSECONDS.toMillis(now - start)));
        if (now - savedAt > TimeUnit.SECONDS.toNanos(1)) { // in case somebody ends us before we are through
            save();
        }
    }

    /** In a thread of its own, so that we can go on without it. */
    private Rows rows(Path file, Callable<Object> query) throws InterruptedException {
        Rows rows = new Rows();
        Thread thread = new Thread(() -> rows.collect(file, query), "uom-query");
        thread.setDaemon(true);
        thread.start();
        thread.join(limitMillis);
        if (!thread.isAlive()) {
            return rows;
        }
        stop(thread);
        return Rows.failed("TimeLimit", "no result after " + limitMillis + " ms");
    }

    /** A server that did not answer once is not asked again: each attempt would wait for its time limit. */
    private void mark(String text) {
        if (unreachable != null) {
            throw unreachable;
        }
        try {
            marker.mark(text);
        } catch (RuntimeException failure) {
            unreachable = marker.isUnreachable(failure) ? failure : null;
            throw failure;
        }
    }

    /** Under this name, an interrupt ends loops too when our own worker runs the class. */
    private static void stop(Thread thread) throws InterruptedException {
        thread.setName("uom-late");
        for (int i = 0; i < 10 && thread.isAlive(); i++) {
            thread.interrupt();
            thread.join(100);
        }
    }

    private Path save() throws IOException {
        StringBuilder json = new StringBuilder("{");
        for (Map.Entry<String, String> outcome : outcomes.entrySet()) {
            json.append(json.length() == 1 ? "\n" : ",\n");
            ResultWriter.write(outcome.getKey(), json);
            json.append(": ").append(outcome.getValue());
        }
        Path part = Files.writeString(folder.resolve("results.part"), json.append("\n}\n"));
        savedAt = System.nanoTime();
        return Files.move(part, folder.resolve("results.json"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** What one query returned. Written by its thread, read by main after that thread ended. */
    private static final class Rows {
        private long count;
        private String shape = "null";
        private String sha256 = "";
        private String first = "null";
        private String last = "null";
        private String error = "null";

        static Rows failed(String type, String message) {
            Rows rows = new Rows();
            StringBuilder json = new StringBuilder("{\"type\":");
            ResultWriter.write(type, json);
            json.append(",\"message\":");
            ResultWriter.write(message, json);
            rows.error = json.append('}').toString();
            return rows;
        }

        void collect(Path file, Callable<Object> query) {
            try {
                Object result = ResultWriter.unwrapped(query.call());
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                try (OutputStream out = new DigestOutputStream(new BufferedOutputStream(Files.newOutputStream(file)), digest)) {
                    write(result, out);
                }
                sha256 = HexFormat.of().formatHex(digest.digest());
            } catch (Throwable failure) { // also what only ends a JVM's thread: it is one query's failure
                fail(failure);
            }
        }

        private void fail(Throwable failure) {
            Rows failed = failed(failure.getClass().getName(), String.valueOf(failure.getMessage()));
            count = 0;
            shape = "null";
            first = "null";
            last = "null";
            error = failed.error;
        }

        private void write(Object result, OutputStream out) throws IOException {
            if (ResultWriter.isSequence(result)) {
                shape = "list";
                for (Iterator<?> elements = ResultWriter.elements(result); elements.hasNext(); ) {
                    row(elements.next(), out);
                }
            } else {
                shape = result == null ? "null" : "value";
                row(result, out);
            }
        }

        private void row(Object value, OutputStream out) throws IOException {
            StringBuilder line = new StringBuilder(256);
            ResultWriter.write(value, line);
            last = line.toString();
            first = count == 0 ? last : first;
            out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
            count++;
        }

        String json(String file, long millis) {
            return "{\"count\":" + count + ",\"shape\":\"" + shape + "\",\"sha256\":\"" + sha256 + "\",\"millis\":" + millis
                    + ",\"firstSample\":" + first + ",\"lastSample\":" + last + ",\"error\":" + error
                    + ",\"file\":\"" + file + "\"}";
        }
    }
}
