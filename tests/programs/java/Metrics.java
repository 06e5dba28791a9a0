import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for a monitor, and collects garbage, when it is told to: a line of standard input is how often. With the
 * argument "virtual" the thread that waits is a virtual one.
 */
public class Metrics {
    static final Object guard = new Object();
    static volatile boolean held;
    static long waits, waited;

    static void waitForIt() {
        while (!held)
            LockSupport.parkNanos(100_000);
        long from = System.nanoTime();
        synchronized (guard) {
            waited += System.nanoTime() - from;
            waits++;
        }
    }

    static Thread start(boolean virtual) throws Exception {
        if (!virtual) {
            Thread thread = new Thread(Metrics::waitForIt, "waits");
            thread.start();
            return thread;
        }
        Method method = Thread.class.getMethod("startVirtualThread", Runnable.class);
        return (Thread) method.invoke(null, (Runnable) Metrics::waitForIt);
    }

    static void once(boolean virtual) throws Exception {
        held = false;
        Thread thread = start(virtual);
        synchronized (guard) {
            held = true;
            Thread.sleep(100);
        }
        thread.join();
        System.gc();
    }

    static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
            sum += bean.getCollectionCount();
        return sum;
    }

    public static void main(String[] arguments) throws Exception, IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        boolean virtual = arguments.length > 0 && arguments[0].equals("virtual");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            for (int i = 0; i < Integer.parseInt(line); i++)
                once(virtual);
            System.out.println("truth: waits=" + waits + " waited_ns=" + waited + " collections=" + collections());
        }
        System.out.println("result: right");
    }
}
