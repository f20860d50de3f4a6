package uom.worker;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** System.out and System.err of the running bundle: kept up to a limit, the rest counted. */
final class Output extends OutputStream {
    private static final int LIMIT = 1 << 20;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private long dropped;

    @Override
    public synchronized void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        int room = Math.max(0, Math.min(length, LIMIT - kept.size()));
        kept.write(bytes, offset, room);
        dropped += length - room;
    }

    synchronized String text() {
        String text = kept.toString(StandardCharsets.UTF_8);
        return dropped == 0 ? text : text + "\n[" + dropped + " more bytes]\n";
    }

    /** From here on the JVM's standard streams are these, until the next call. */
    static void redirect(Output out, Output err) {
        System.setIn(InputStream.nullInputStream());
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }
}
