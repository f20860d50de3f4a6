import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Does what its first argument says, with the others. "survived" is said where a limit should have come first. */
public class Misbehave {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "read" -> System.out.println(Files.readString(Path.of(args[1])));
            case "list" -> System.out.println(Files.list(Path.of(args[1])).toList());
            case "write" -> Files.writeString(Path.of(args[1]), "x");
            case "connect" -> new Socket(args[1], Integer.parseInt(args[2])).close();
            case "resolve" -> System.out.println(InetAddress.getByName(args[1]));
            case "start" -> start(args);
            case "fill" -> fill(args[1]);
            default -> {
                while (true) {}
            }
        }
    }

    private static void start(String[] args) throws Exception {
        try {
            while (true) {
                new ProcessBuilder(args[1], args[2]).start();
            }
        } catch (java.io.IOException limit) {
            System.out.println("cannot start more");
            System.exit(1);
        }
    }

    private static void fill(String what) throws Exception {
        List<Object> kept = new ArrayList<>();
        for (int i = 0; i < 40_000; i++) {
            switch (what) {
                case "disk" -> {
                    if (i < 40) {
                        RandomAccessFile file = new RandomAccessFile("/tmp/f" + i, "rw");
                        file.write(new byte[20 << 20]);
                        kept.add(file);
                    } else {
                        Thread.sleep(10);
                    }
                }
                case "memory" -> kept.add(new byte[1 << 20]);
                default -> {
                    Thread thread = new Thread(() -> {
                        try {
                            Thread.sleep(100_000);
                        } catch (InterruptedException end) {
                            return;
                        }
                    });
                    thread.setDaemon(true);
                    thread.start();
                }
            }
        }
        System.out.println("survived");
    }
}
