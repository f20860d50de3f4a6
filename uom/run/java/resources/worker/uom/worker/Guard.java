package uom.worker;

/**
 * What the code of a bundle calls instead of ending the JVM, and what ends its loops. Against mistakes; against malice
 * only a sandbox helps.
 */
public final class Guard {
    /** Bundles up to this number have had their time: their code throws at the next method entry or loop. */
    private static volatile int stopped;

    private Guard() {}

    /** A bundle called System.exit, Runtime.exit or Runtime.halt. */
    public static final class Exit extends Error {
        private static final long serialVersionUID = 1;
        final int code;

        Exit(int code) {
            super("exit " + code);
            this.code = code;
        }
    }

    /** Time is over. */
    public static final class Stop extends Error {
        private static final long serialVersionUID = 1;

        Stop() {
            super("stopped at the time limit");
        }
    }

    static void stop(int bundle) {
        stopped = bundle;
    }

    public static void exit(int code) {
        throw new Exit(code);
    }

    public static void exit(Runtime runtime, int code) {
        throw new Exit(code);
    }

    /** A hook would keep the bundle in memory and run when the worker ends. */
    public static void addShutdownHook(Runtime runtime, Thread hook) {}

    /** Inserted at each method entry and before each backward jump. The name is set by ValidationRun, with an interrupt. */
    public static void tick(int bundle) {
        if (bundle <= stopped) {
            throw new Stop();
        }
        Thread thread = Thread.currentThread();
        if (thread.isInterrupted() && thread.getName().equals("uom-late")) {
            throw new Stop();
        }
    }
}
