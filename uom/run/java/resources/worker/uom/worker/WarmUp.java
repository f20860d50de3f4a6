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
    private static final String[] FILES = {
        "uom/services/ResultWriter.java", "uom/services/ValidationRun.java", "uom/warmup/WarmUpEntrypoint.java"
    };

    private WarmUp() {}

    /** The answer of the last run; it must be ok when the archive is made, and does not matter later. */
    static String run(Worker worker, int times) throws InterruptedException, IOException {
        Map<String, String> files = new LinkedHashMap<>();
        for (String name : FILES) {
            try (InputStream stream = WarmUp.class.getResourceAsStream("/" + name)) {
                files.put(name, new String(stream.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        String answer = "";
        for (int i = 0; i < times; i++) {
            answer = worker.handle(
                    new Worker.Request(25, 60_000, "uom.warmup.WarmUpEntrypoint", new String[0], files));
        }
        return answer;
    }
}
