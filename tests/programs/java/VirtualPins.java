import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/*
 * Virtual threads that park where they cannot let go of their carriers: in a class initializer, and below a native method
 * (-Djdk.reflect.useNativeAccessorOnly=true); and one that can. Argument: how long each parks (ms).
 */
public final class VirtualPins {
    private static long ns;

    private static final class Slow {
        static int made;

        static {
            park();
            made = 1;
        }
    }

    public static void park() {
        long end = System.nanoTime() + ns;
        for (long left = ns; left > 0; left = end - System.nanoTime())
            LockSupport.parkNanos(left);
    }

    private static void initialize() {
        if (Slow.made != 1)
            throw new IllegalStateException();
    }

    private static void call() {
        try {
            VirtualPins.class.getMethod("park").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class); /* javac of JDK 17 has none */
        ns = Integer.parseInt(arguments[0]) * 1_000_000L;
        Runnable[] all = {VirtualPins::initialize, VirtualPins::call, VirtualPins::park};
        for (Runnable one : all)
            ((Thread) start.invoke(null, one)).join();
    }
}
