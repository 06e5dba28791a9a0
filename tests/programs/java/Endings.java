import java.util.ArrayList;
import java.util.List;

/* A program with a thread that is blocked, one that waits, one that sleeps and a busy daemon ends as its argument says. */
public final class Endings {
    private static final Object monitor = new Object(), other = new Object();
    private static volatile boolean isBusy;

    private static Thread start(String name, boolean daemon, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(daemon);
        thread.start();
        return thread;
    }

    private static void forever(Runnable body) {
        for (;;)
            body.run();
    }

    private static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    private static void others(boolean daemons) throws InterruptedException {
        Thread[] threads = {
            start("blocked", daemons, () -> { synchronized (monitor) { } }),
            start("waiting", daemons, () -> forever(() -> {
                synchronized (other) {
                    try { other.wait(); } catch (InterruptedException e) { return; }
                }
            })),
            start("sleeping", daemons, () -> forever(() -> {
                try { Thread.sleep(1000000); } catch (InterruptedException e) { return; }
            })),
            start("busy", true, () -> forever(() -> {
                synchronized (other) { other.notifyAll(); }
                isBusy = true;
                Thread.yield();
            }))};
        Truth.until(threads[0], Thread.State.BLOCKED);
        Truth.until(threads[2], Thread.State.TIMED_WAITING);
        while (!isBusy)
            Thread.sleep(1);
    }

    private static void end(String how) throws Exception {
        switch (how) {
        case "exit":
            System.exit(3);
            break;
        case "halt":
            Runtime.getRuntime().halt(4);
            break;
        case "throw":
            throw new IllegalStateException("thrown on purpose");
        case "memory":
            List<long[]> all = new ArrayList<>();
            for (;;)
                all.add(new long[1 << 20]);
        case "stack":
            recurse(0);
            break;
        case "hook":
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("in the hook")));
            System.exit(5);
            break;
        case "signal":
            System.out.println("ready");
            System.out.flush();
            Thread.sleep(1000000);
            break;
        default: /* return */
            break;
        }
    }

    public static void main(String[] arguments) throws Exception {
        String how = arguments[0];
        synchronized (monitor) {
            /* Where the JVM waits for others, they must not keep it. */
            others(!how.equals("exit") && !how.equals("halt") && !how.equals("hook") && !how.equals("signal"));
            System.out.println("all wait");
            end(how);
        }
    }
}
