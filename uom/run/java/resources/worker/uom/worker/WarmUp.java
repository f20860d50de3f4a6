package uom.worker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Compiles and runs a canned bundle, so that the classes which every bundle needs are loaded before the first one, and
 * so that the archive of loaded classes, made at set-up, has them.
 */
final class WarmUp {
    private static final String[] FILES = {"services/ResultWriter", "services/ValidationRun", "warmup/WarmUpEntrypoint"};

    private WarmUp() {}

    /** The answer of the last run; it must be ok when the archive is made, and does not matter later. */
    static String run(Worker worker, int times) throws InterruptedException, IOException {
        boolean graph = WarmUp.class.getResource("/org/neo4j/driver/Driver.class") != null;
        Map<String, String> files = new LinkedHashMap<>();
        for (String name : FILES) {
            read(graph, name, files);
        }
        read(graph, graph ? "services/Neo4jValidation" : "services/MongoValidation", files);
        String answer = "";
        for (int i = 0; i < times; i++) {
            answer = worker.handle(
                    new Worker.Request(25, 60_000, "uom.warmup.WarmUpEntrypoint", new String[0], files));
        }
        return answer;
    }

    /** What set-up put into our jar, for the database that is on the class path. */
    private static void read(boolean graph, String name, Map<String, String> files) throws IOException {
        String path = "uom/" + name + ".java";
        try (InputStream stream = WarmUp.class.getResourceAsStream((graph ? "/neo4j/" : "/mongodb/") + path)) {
            files.put(path, new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
