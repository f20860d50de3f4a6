package uom.worker;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;

/** Runs the main method of one bundle in its own thread group and class loader, for a limited time. */
final class Job {
    private static final int TRACE_LIMIT = 32_000;
    private static final long STACK_BYTES = 8L << 20;

    /** `tainted`: a thread of the bundle is still alive, so the worker must be replaced. */
    record Outcome(String status, String trace, boolean tainted) {}

    private final int number;
    private final ThreadGroup group;
    private volatile Throwable failure;

    Job(int number) {
        this.number = number;
        this.group = new ThreadGroup("bundle-" + number);
    }

    Outcome run(BundleLoader loader, String mainClass, String[] arguments, long limitMillis)
            throws InterruptedException {
        Thread thread = new Thread(group, () -> callMain(loader, mainClass, arguments), "bundle-main", STACK_BYTES);
        thread.setContextClassLoader(loader);
        thread.setDaemon(true);
        thread.start();
        thread.join(limitMillis);
        boolean late = thread.isAlive();
        Guard.stop(number);
        for (int i = 0; i < 10 && thread.isAlive(); i++) {
            group.interrupt();
            thread.join(100);
        }
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        boolean tainted = somethingLives();
        if (late) {
            return new Outcome("timeout", "", tainted);
        }
        if (failure == null) {
            return new Outcome("ok", "", tainted);
        }
        boolean outOfMemory = failure instanceof OutOfMemoryError;
        return new Outcome(failure instanceof Guard.Exit ? "exit" : "exception", trace(failure), tainted || outOfMemory);
    }

    private void callMain(BundleLoader loader, String mainClass, String[] arguments) {
        try {
            Class<?> type = Class.forName(mainClass, true, loader);
            type.getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException thrown) {
            failure = thrown.getCause();
        } catch (Throwable thrown) {
            failure = thrown;
        }
    }

    private boolean somethingLives() throws InterruptedException {
        for (int attempt = 0; attempt < 5; attempt++) {
            Thread[] left = new Thread[256];
            int count = group.enumerate(left, true);
            if (count == 0) {
                return false;
            }
            group.interrupt();
            for (int i = 0; i < count; i++) {
                left[i].join(Math.max(1, 100 / count));
            }
        }
        return group.activeCount() > 0;
    }

    private static String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (Throwable brokenException) { // its getMessage is code of the bundle
            text.append(failure.getClass().getName());
        }
        return text.toString().substring(0, Math.min(text.getBuffer().length(), TRACE_LIMIT));
    }
}
