import java.util.concurrent.locks.LockSupport;

/* Calls that end in odd ways, or wait: `CallEnds overflow|waits|classes`. */
public final class CallEnds {
    private static final Object monitor = new Object();
    static int deepest;

    private static int deeper(int depth) {
        deepest = depth;
        return deeper(depth + 1) + 1;
    }

    private static void after() {
    }

    /* The stack overflows, again and again; calls in between are as before. */
    private static void overflow() {
        for (int i = 0; i < 20; i++) {
            try {
                deeper(0);
            } catch (StackOverflowError expected) {
                after();
            }
            after();
        }
        System.out.println(deepest > 100);
    }

    private static void sleeps() throws InterruptedException {
        Thread.sleep(60);
    }

    private static void parks() {
        for (long end = System.nanoTime() + 60_000_000, now; (now = System.nanoTime()) < end;)
            LockSupport.parkNanos(end - now);
    }

    private static void waits() throws InterruptedException {
        synchronized (monitor) {
            monitor.wait(60);
        }
    }

    private static void enters() throws InterruptedException {
        Thread holder = new Thread(() -> {
            synchronized (monitor) {
                synchronized (holds) {
                    holds[0] = true;
                    holds.notify();
                }
                LockSupport.parkNanos(60_000_000);
            }
        });
        holder.start();
        synchronized (holds) {
            while (!holds[0])
                holds.wait();
        }
        synchronized (monitor) {
            after();
        }
        holder.join();
    }

    private static final boolean[] holds = new boolean[1];

    static final class Fails {
        static {
            after();
            if (deepest == 0)
                throw new IllegalStateException();
        }

        static void never() {
        }
    }

    /* Static initializers, one of which fails; a call by reflection. */
    private static void classes() throws Exception {
        try {
            Fails.never();
        } catch (ExceptionInInitializerError expected) {
            after();
        }
        var method = CallEnds.class.getDeclaredMethod("after");
        for (int i = 0; i < 100; i++)
            method.invoke(null);
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "overflow": overflow(); break;
            case "classes": classes(); break;
            default:
                sleeps();
                parks();
                waits();
                enters();
        }
    }
}
