import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Virtual threads that are started on a line each, and say how often they ran and how long they waited for the only
 * carrier (-Djdk.virtualThreadScheduler.parallelism=1).
 */
public final class VirtualTasks {
    static final int SUBMITTED = 30, STARTED = 10, BUSY_MS = 3;
    static final AtomicLong busy = new AtomicLong(), longest = new AtomicLong();
    static final AtomicInteger ran = new AtomicInteger();
    static volatile boolean open;

    /** Keeps the carrier until all others are there. */
    private static void gate() {
        while (!open)
            Thread.onSpinWait();
    }

    private static void spin() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < BUSY_MS * 1_000_000L)
            Thread.onSpinWait();
        busy.addAndGet(System.nanoTime() - begin);
    }

    /** Runs, sleeps, and runs again. */
    private static void task(long submitted) {
        long now = System.nanoTime();
        longest.accumulateAndGet(now - submitted, Math::max);
        spin();
        try {
            TimeUnit.MILLISECONDS.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        ran.incrementAndGet();
    }

    /** Goes off its carrier without a wait: it has not ended. */
    private static void yields() {
        for (int i = 0; i < 5; i++)
            Thread.yield();
        ran.incrementAndGet();
    }

    /** Goes off its carrier for a monitor, in the monitor, and in Object.wait. */
    private static void monitors() {
        synchronized (busy) {
            try {
                TimeUnit.MILLISECONDS.sleep(1);
                busy.wait(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        ran.incrementAndGet();
    }

    public static void main(String[] arguments) throws Exception {
        Method executor = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        CountDownLatch inner = new CountDownLatch(1);
        ExecutorService tasks = (ExecutorService) executor.invoke(null);
        start.invoke(null, (Runnable) VirtualTasks::gate); // line E
        for (int i = 0; i < SUBMITTED; i++) {
            long now = System.nanoTime();
            tasks.submit(() -> task(now)); // line A
        }
        open = true;
        tasks.shutdown();
        tasks.awaitTermination(1, TimeUnit.MINUTES);
        Thread[] all = new Thread[STARTED];
        for (int i = 0; i < STARTED; i++)
            all[i] = (Thread) start.invoke(null, (Runnable) VirtualTasks::yields); // line B
        for (Thread thread : all)
            thread.join();
        for (int i = 0; i < STARTED; i++)
            all[i] = (Thread) start.invoke(null, (Runnable) VirtualTasks::monitors); // line F
        for (Thread thread : all)
            thread.join();
        Runnable outer = () -> {
            try {
                Thread child = (Thread) start.invoke(null, (Runnable) ran::incrementAndGet); // line C
                child.join();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            inner.countDown();
        };
        start.invoke(null, outer); // line D
        inner.await();
        Thread.sleep(50); // the last one ends, too
        System.out.println("truth: ran=" + ran);
        System.out.println("truth: busy_ns=" + busy);
        System.out.println("truth: longest_ns=" + longest);
    }
}
