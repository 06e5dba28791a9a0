import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/*
 * Virtual threads that wait, each kind on lines of its own: the program says how long by its own clock. Arguments: how
 * many threads fight for each, and how long each of them holds it (ms).
 */
public final class VirtualTruth {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Semaphore permit = new Semaphore(1);
    private static final Object monitor = new Object();
    private static final Object signal = new Object();
    private static boolean signalled;
    private static int hold;
    private static final AtomicLong waited = new AtomicLong();
    private static final List<Thread> started = new ArrayList<>();

    /* Without giving its carrier back: who waits for the lock does not wait for a carrier. */
    private static void hold() {
        long end = System.nanoTime() + hold * 1_000_000L;
        while (System.nanoTime() < end)
            Thread.onSpinWait();
    }

    private static void locks() {
        long begin = System.nanoTime();
        lock.lock();
        waited.addAndGet(System.nanoTime() - begin);
        hold();
        lock.unlock();
    }

    private static void permits() {
        long begin = System.nanoTime();
        permit.acquireUninterruptibly();
        waited.addAndGet(System.nanoTime() - begin);
        hold();
        permit.release();
    }

    private static void monitors() {
        long begin = System.nanoTime();
        synchronized (monitor) {
            waited.addAndGet(System.nanoTime() - begin);
            hold();
        }
    }

    private static void waits() {
        synchronized (signal) {
            try {
                while (!signalled) {
                    long begin = System.nanoTime();
                    signal.wait();
                    waited.addAndGet(System.nanoTime() - begin);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void sleeps() {
        try {
            long begin = System.nanoTime();
            Thread.sleep(hold);
            waited.addAndGet(System.nanoTime() - begin);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /* Until the main thread has unparked this one: it does so once each is parked. */
    private static void parks() {
        long begin = System.nanoTime();
        LockSupport.park();
        waited.addAndGet(System.nanoTime() - begin);
    }

    private static void unpark() {
        for (Thread thread : started) {
            while (thread.getState() != Thread.State.WAITING)
                Thread.onSpinWait();
            LockSupport.unpark(thread);
        }
    }

    private static void say(String name, int threads, Runnable what, Runnable meanwhile) throws Exception {
        CountDownLatch done = new CountDownLatch(threads);
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class); /* javac of JDK 17 has none */
        waited.set(0);
        started.clear();
        for (int i = 0; i < threads; i++)
            started.add((Thread) start.invoke(null, (Runnable) () -> {
                what.run();
                done.countDown();
            }));
        meanwhile.run();
        done.await();
        System.out.println(name + " " + waited.get());
    }

    private static void signal() {
        hold();
        synchronized (signal) {
            signalled = true;
            signal.notifyAll();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]);
        hold = Integer.parseInt(arguments[1]);
        Runnable nothing = () -> { };
        say("locks", threads, VirtualTruth::locks, nothing);
        say("permits", threads, VirtualTruth::permits, nothing);
        say("monitors", threads, VirtualTruth::monitors, nothing);
        say("waits", threads, VirtualTruth::waits, VirtualTruth::signal);
        say("sleeps", threads, VirtualTruth::sleeps, nothing);
        say("parks", threads, VirtualTruth::parks, VirtualTruth::unpark);
    }
}
