package uom.worker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Compiles and runs bundles, one after the other, in a JVM where the compiler, Spring and the driver stay loaded.
 *
 * <p>Arguments: the unix socket to connect to, then the class path of bundles. A request is
 * release, limit in ms, main class, arguments, files (see {@link Request#read}); an answer is an int length and JSON. The first
 * answer comes unasked and says that we are ready.
 */
public final class Worker {
    private final BundleCompiler compiler;
    private final Surroundings surroundings = new Surroundings();
    private final List<WeakReference<BundleLoader>> loaders = new ArrayList<>();
    private int jobs;

    Worker(String classPath) throws IOException {
        List<Path> jars = Stream.of(classPath.split(File.pathSeparator)).map(Path::of).toList();
        compiler = new BundleCompiler(new ClassPathIndex(jars));
        startHousekeeping();
    }

    /** Threads that drivers share, which must not belong to a bundle. Each class path has one of the two drivers. */
    private static void startHousekeeping() {
        SharedClients.prepare();
        try {
            Class.forName("com.mongodb.internal.connection.PowerOfTwoBufferPool");
        } catch (ClassNotFoundException otherClassPath) {
            // nothing to start
        }
        try {
            Object executor = Class.forName("io.netty.util.concurrent.GlobalEventExecutor")
                    .getField("INSTANCE")
                    .get(null);
            // Its thread ends when nothing is planned, and the next bundle would start it.
            ((ScheduledExecutorService) executor).scheduleWithFixedDelay(() -> {}, 0, 1, TimeUnit.HOURS);
        } catch (ReflectiveOperationException otherClassPath) {
            // nothing to start
        }
    }

    /** `files` are Java sources by path. */
    record Request(int release, long limitMillis, String mainClass, String[] arguments, Map<String, String> files) {
        static Request read(DataInputStream in) throws IOException {
            int release = in.readInt();
            long limit = in.readLong();
            String mainClass = text(in);
            String[] arguments = new String[in.readInt()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = text(in);
            }
            Map<String, String> files = new LinkedHashMap<>();
            for (int i = in.readInt(); i > 0; i--) {
                files.put(text(in), text(in));
            }
            return new Request(release, limit, mainClass, arguments, files);
        }

        private static String text(DataInputStream in) throws IOException {
            return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("--train")) {
            String answer = WarmUp.run(new Worker(arguments[1]), 3);
            if (!answer.contains("\"status\":\"ok\"")) {
                throw new IllegalStateException(answer);
            }
            System.exit(0); // threads that drivers share would keep us
        }
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(arguments[0]))) {
            DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
            DataOutputStream out = new DataOutputStream(Channels.newOutputStream(channel));
            BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
            Thread reader = new Thread(() -> receive(in, requests), "requests");
            reader.setDaemon(true);
            reader.start();
            Worker worker = new Worker(arguments[1]);
            WarmUp.run(worker, 1);
            send(out, "{}");
            while (true) {
                send(out, worker.handle(requests.take()));
            }
        }
    }

    private static void send(DataOutputStream out, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
    }

    /** When the parent is gone, so are we, whatever a bundle is doing, and whatever it has started. */
    private static void receive(DataInputStream in, BlockingQueue<Request> requests) {
        try {
            while (true) {
                requests.add(Request.read(in));
            }
        } catch (IOException | RuntimeException | Error gone) {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            Runtime.getRuntime().halt(0);
        }
    }

    String handle(Request request) throws InterruptedException {
        long start = System.nanoTime();
        BundleCompiler.Compiled compiled = compiler.compile(request.files(), request.release());
        long compiledAt = System.nanoTime();
        Json answer = new Json().put("compile_ms", (compiledAt - start) / 1_000_000);
        if (!compiled.errors().isEmpty()) {
            List<String> errors = compiled.errors().stream().map(Worker::json).toList();
            return answer.put("status", "compile_error")
                    .raw("diagnostics", "[" + String.join(",", errors) + "]")
                    .toString();
        }
        execute(request, compiled, answer);
        return answer.put("run_ms", (System.nanoTime() - compiledAt) / 1_000_000).toString();
    }

    private void execute(Request request, BundleCompiler.Compiled compiled, Json answer) throws InterruptedException {
        int number = ++jobs;
        Output out = new Output();
        Output err = new Output();
        BundleLoader loader = new BundleLoader(compiled.classes(), number);
        loaders.removeIf(seen -> seen.get() == null);
        loaders.add(new WeakReference<>(loader));
        Output.redirect(out, err);
        Job.Outcome outcome = new Job(number).run(loader, request.mainClass(), request.arguments(), request.limitMillis());
        Output.redirect(new Output(), new Output());
        surroundings.restore(loader);
        answer.put("status", outcome.status())
                .put("trace", outcome.trace())
                .put("tainted", outcome.tainted())
                .put("stdout", out.text())
                .put("stderr", err.text())
                .put("loaders", loaders.size());
    }

    private static String json(BundleCompiler.Problem problem) {
        return new Json()
                .put("file", problem.file())
                .put("line", problem.line())
                .put("column", problem.column())
                .put("message", problem.message())
                .toString();
    }
}
