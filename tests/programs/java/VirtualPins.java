import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/*
 * Virtual threads that park where they cannot let go of their carriers: in a class initializer, and below a native method
 * (-Djdk.reflect.useNativeAccessorOnly=true); and one that can. Arguments: how long each parks (ms); "monitors": the last two
 * wait for a monitor instead, which is held for so long.
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

    static final Object LOCK = new Object();

    public static void enter() {
        synchronized (LOCK) { // mark: enter
            ns++;
        }
    }

    private static void call(String what) {
        try {
            VirtualPins.class.getMethod(what).invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void hold(Method start, Runnable one) throws Exception {
        Thread waits;
        synchronized (LOCK) {
            waits = (Thread) start.invoke(null, one);
            while (waits.getState() != Thread.State.BLOCKED)
                Thread.yield();
            Thread.sleep(ns / 1_000_000);
        }
        waits.join();
    }

    public static void main(String[] arguments) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class); /* javac of JDK 17 has none */
        ns = Integer.parseInt(arguments[0]) * 1_000_000L;
        if (arguments.length > 1) {
            hold(start, () -> call("enter"));
            hold(start, VirtualPins::enter);
            return;
        }
        Runnable[] all = {VirtualPins::initialize, () -> call("park"), VirtualPins::park};
        for (Runnable one : all)
            ((Thread) start.invoke(null, one)).join();
    }
}
