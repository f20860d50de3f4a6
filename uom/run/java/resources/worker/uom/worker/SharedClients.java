package uom.worker;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A driver that outlives bundles, for databases whose driver leaves threads behind when it is closed. There is one at a
 * time: it is closed when a bundle asks for another server.
 */
public final class SharedClients {
    private static final ThreadGroup GROUP = Thread.currentThread().getThreadGroup();
    private static final ExecutorService OUR_THREAD = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(GROUP, task, "shared-clients");
        thread.setDaemon(true);
        return thread;
    });
    private static String key;
    private static AutoCloseable client;

    private SharedClients() {}

    /** From the worker's own thread, before any bundle: what the driver starts must not belong to a bundle. */
    static void prepare() {
        OUR_THREAD.execute(() -> {});
    }

    /** The client of that name; `make` is called in a thread of ours when there is none, or a closed one. */
    public static synchronized Object get(String wanted, Callable<? extends AutoCloseable> make, boolean renew)
            throws InterruptedException, ExecutionException {
        if (client == null || renew || !wanted.equals(key)) {
            AutoCloseable old = client;
            client = null;
            OUR_THREAD.submit(() -> {
                if (old != null) {
                    old.close();
                }
                client = make.call();
                return null;
            }).get();
            key = wanted;
        }
        return client;
    }
}
