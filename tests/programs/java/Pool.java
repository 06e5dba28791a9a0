import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/*
 * Threads of executors of each kind that wait for work, and wait in their work: only the first is idleness. Argument: how
 * many rounds.
 * Each thread of an executor executes one task a round, which takes from a queue.
 */
public final class Pool {
    private static final int PAUSE = 30, DELAY = 10; // ms

    private static ThreadFactory named(String name) {
        return work -> new Thread(work, name);
    }

    private static volatile Thread taker;

    /* A task that waits in its work for something that the main thread gives it later. */
    private static void take(BlockingQueue<Integer> queue, CountDownLatch done) {
        try {
            taker = Thread.currentThread();
            queue.take();
            Thread.sleep(DELAY); // the main thread waits for this
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        done.countDown();
    }

    private static void round(ExecutorService pool) throws InterruptedException {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
        CountDownLatch done = new CountDownLatch(1);
        taker = null;
        if (pool instanceof ScheduledExecutorService scheduled)
            scheduled.schedule(() -> take(queue, done), DELAY, TimeUnit.MILLISECONDS);
        else
            pool.execute(() -> take(queue, done));
        Thread.sleep(PAUSE);
        while (taker == null || taker.getState() != Thread.State.WAITING) // the machine may be busy
            Thread.sleep(1);
        queue.add(1);
        done.await();
        Thread.sleep(PAUSE);
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        ExecutorService[] pools = {Executors.newFixedThreadPool(1, named("fixed")), Executors.newCachedThreadPool(named("cached")),
            Executors.newScheduledThreadPool(1, named("scheduled"))};
        for (ExecutorService pool : pools)
            for (int i = 0; i < rounds; i++)
                round(pool);
        for (ExecutorService pool : pools) {
            pool.shutdown();
            if (!pool.awaitTermination(1, TimeUnit.MINUTES))
                throw new IllegalStateException("a pool does not end");
        }
    }
}
