import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * So many waits, or what ends them, as fast as possible; prints how many there were. usage: Storms WHAT COUNT
 */
public class Storms {
    static final Object lock = new Object();
    static int turn;
    static long waits, sink;

    /** Two threads take turns. */
    static void play(int me, int n) {
        synchronized (lock) {
            for (int i = 0; i < n; i++) {
                while (turn != me)
                    try {
                        waits++;
                        lock.wait();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                turn = 1 - me;
                lock.notify();
            }
        }
    }

    static void both(Runnable first, Runnable second) throws InterruptedException {
        Thread[] threads = {new Thread(first, "first"), new Thread(second, "second")};
        for (Thread thread : threads)
            thread.start();
        for (Thread thread : threads)
            thread.join();
    }

    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    static long blocked;

    /** The JVM counts how often a thread was blocked. */
    static void contend(int n) {
        for (int i = 0; i < n; i++)
            synchronized (lock) {
                for (int k = 0; k < 2000; k++)
                    sink = sink * 6364136223846793005L + k;
            }
        long mine = threads.getThreadInfo(Thread.currentThread().getId()).getBlockedCount();
        synchronized (threads) {
            blocked += mine;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int n = Integer.parseInt(arguments[1]);
        switch (arguments[0]) {
        case "notify":
            synchronized (lock) {
                for (int i = 0; i < n; i++)
                    lock.notify();
            }
            System.out.println(n);
            break;
        case "unpark":
            Thread nobody = new Thread(() -> {});
            nobody.start();
            nobody.join();
            Thread main = Thread.currentThread();
            for (int i = 0; i < n; i++)
                LockSupport.unpark(main);
            System.out.println(n);
            break;
        case "park":
            for (int i = 0; i < n; i++) {
                LockSupport.unpark(Thread.currentThread());
                LockSupport.park();
            }
            System.out.println(n);
            break;
        case "wait":
            both(() -> play(0, n), () -> play(1, n));
            System.out.println(waits);
            break;
        case "contended":
            both(() -> contend(n), () -> contend(n));
            System.out.println(blocked);
            break;
        default:
            throw new IllegalArgumentException(arguments[0]);
        }
    }
}
