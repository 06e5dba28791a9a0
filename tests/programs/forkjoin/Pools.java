import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.ArrayList;
import java.util.List;

/** Executors whose tasks, queue times and shares are known. The argument chooses what happens. */
public class Pools {
    static final AtomicInteger ran = new AtomicInteger();

    static void sleep(int milliseconds) {
        ran.incrementAndGet();
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static void end(ExecutorService pool) throws InterruptedException {
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }

    /** Eight tasks of 20 ms for two workers: they wait 0, 0, 20, 20, 40, 40, 60 and 60 ms, and measure it themselves: the longest
     * one is not of the first ones, which load classes. */
    static void small() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        AtomicLong queued = new AtomicLong();
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            long submitted = System.nanoTime();
            tasks.add(pool.submit(() -> {
                queued.accumulateAndGet(System.nanoTime() - submitted, Math::max);
                sleep(20);
            }));
        }
        for (Future<?> task : tasks)
            task.get();
        end(pool);
        System.out.println("truth: longest_queue_us=" + queued.get() / 1000);
    }

    /** One worker has 30 ms, the other one 90 ms. */
    static void uneven() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CountDownLatch both = new CountDownLatch(2);
        for (int milliseconds : new int[] {30, 90})
            pool.execute(() -> {
                both.countDown();
                try {
                    both.await();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
                sleep(milliseconds);
            });
        end(pool);
    }

    /** Of four workers one has tasks. */
    static void large() throws Exception {
        ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(4);
        pool.prestartAllCoreThreads();
        for (int i = 0; i < 3; i++)
            pool.submit(() -> sleep(10)).get();
        end(pool);
    }

    /** The same object again and again, while others of it wait. */
    static void same() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        Runnable task = () -> sleep(0);
        for (int i = 0; i < 1000; i++)
            pool.execute(task);
        end(pool);
    }

    /** Overrides what Heddle sees, and does not call it. */
    static class Deaf extends ThreadPoolExecutor {
        Deaf() {
            super(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(10));
        }

        @Override
        protected void beforeExecute(Thread thread, Runnable task) {
        }

        @Override
        protected void afterExecute(Runnable task, Throwable thrown) {
        }
    }

    /** Overrides it, and calls it. */
    static class Polite extends ThreadPoolExecutor {
        Polite(java.util.concurrent.RejectedExecutionHandler handler) {
            super(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1), handler);
        }

        @Override
        protected void beforeExecute(Thread thread, Runnable task) {
            super.beforeExecute(thread, task);
        }

        @Override
        protected void afterExecute(Runnable task, Throwable thrown) {
            super.afterExecute(task, thrown);
        }
    }

    /** A worker that is busy, a task that waits, and a third one that the handler gets. */
    static void full(java.util.concurrent.RejectedExecutionHandler handler) throws Exception {
        CountDownLatch busy = new CountDownLatch(1), go = new CountDownLatch(1);
        Polite pool = new Polite(handler);
        pool.execute(() -> {
            ran.incrementAndGet();
            busy.countDown();
            try {
                go.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        });
        busy.await();
        pool.execute(() -> sleep(0));
        try {
            pool.execute(() -> sleep(0));
        } catch (RejectedExecutionException rejected) {
            System.out.println("rejected");
        }
        go.countDown();
        end(pool);
    }

    /** Ways to submit and to end. */
    static void kinds() throws Exception {
        Deaf deaf = new Deaf();
        deaf.submit(() -> sleep(0)).get();
        end(deaf);
        full(new ThreadPoolExecutor.AbortPolicy());
        full(new ThreadPoolExecutor.DiscardPolicy());
        full(new ThreadPoolExecutor.DiscardOldestPolicy());
        full(new ThreadPoolExecutor.CallerRunsPolicy());
        full((task, pool) -> { // it takes the place of the one that waits
            pool.getQueue().poll();
            pool.getQueue().add(task);
        });
        ExecutorService pool = Executors.newCachedThreadPool();
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 5; i++)
            calls.add(() -> {
                sleep(1);
                return 1;
            });
        pool.invokeAll(calls);
        Future<?> fails = pool.submit(() -> {
            sleep(0);
            throw new IllegalStateException("thrown in a task");
        });
        try {
            fails.get();
        } catch (java.util.concurrent.ExecutionException thrown) {
            System.out.println(thrown.getCause().getMessage());
        }
        Thread.UncaughtExceptionHandler quiet = (thread, thrown) -> System.out.println("uncaught");
        ExecutorService dying = Executors.newFixedThreadPool(1, task -> {
            Thread thread = new Thread(task, "dying-" + ran.get());
            thread.setUncaughtExceptionHandler(quiet);
            return thread;
        });
        dying.execute(() -> {
            sleep(0);
            throw new IllegalStateException();
        });
        dying.submit(() -> sleep(0)).get();
        end(dying);
        end(pool);
    }

    /** Five ticks, of which the last one ends them, and a task that comes later. */
    static void scheduled() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        CountDownLatch ticks = new CountDownLatch(5);
        AtomicReference<ScheduledFuture<?>> ticking = new AtomicReference<>();
        ticking.set(pool.scheduleAtFixedRate(() -> {
            sleep(1);
            while (ticks.getCount() == 1 && !(ticking.get() != null && ticking.get().cancel(false)))
                Thread.onSpinWait();
            ticks.countDown();
        }, 5, 5, TimeUnit.MILLISECONDS));
        pool.schedule(() -> sleep(1), 12, TimeUnit.MILLISECONDS).get();
        ticks.await();
        end(pool);
    }

    /** What is taken out of the queue never runs. */
    static void stopped() throws Exception {
        CountDownLatch busy = new CountDownLatch(1), go = new CountDownLatch(1);
        ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(1);
        pool.execute(() -> {
            ran.incrementAndGet();
            busy.countDown();
            while (go.getCount() > 0)
                Thread.onSpinWait();
        });
        busy.await();
        Runnable removed = () -> sleep(0);
        pool.execute(removed);
        pool.execute(() -> sleep(0));
        System.out.println("removed=" + pool.remove(removed) + " left=" + pool.shutdownNow().size());
        go.countDown();
        end(pool);
    }

    /** More tasks than Heddle follows at one time never run: they fall out of the queue, are cancelled, or left over. */
    static void dropped() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(100000),
                new ThreadPoolExecutor.DiscardOldestPolicy());
        pool.execute(() -> {
            ran.incrementAndGet();
            while (go.getCount() > 0)
                Thread.onSpinWait();
        });
        while (ran.get() == 0)
            Thread.onSpinWait();
        for (int i = 0; i < 300000; i++) {
            int number = i;
            pool.execute(() -> sleep(number * 0));
        }
        int left = pool.shutdownNow().size();
        go.countDown();
        end(pool);
        ThreadPoolExecutor other = (ThreadPoolExecutor) Executors.newFixedThreadPool(1);
        CountDownLatch then = new CountDownLatch(1);
        other.execute(() -> {
            ran.incrementAndGet();
            while (then.getCount() > 0)
                Thread.onSpinWait();
        });
        for (int i = 0; i < 70000; i++)
            other.submit(() -> sleep(0)).cancel(false);
        other.purge();
        then.countDown();
        for (int i = 0; i < 100; i++)
            other.execute(() -> sleep(0));
        end(other);
        System.out.println("left=" + left);
        System.out.println("truth: made=" + (300000 + 1 + 1 + 70000 + 100));
    }

    /** As an executor that hands on to another one. */
    static class Forwards implements Executor {
        final Executor to;

        Forwards(Executor to) {
            this.to = to;
        }

        @Override
        public void execute(Runnable task) {
            to.execute(task); // lines: 23
        }
    }

    /** Its own method is where tasks are submitted. */
    static class Overrides extends ThreadPoolExecutor {
        Overrides() {
            super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        public void execute(Runnable task) {
            super.execute(task); // lines: 19
        }
    }

    /** All that a submission can look like; each line that makes tasks says how many. A submission that comes to no pool, or fails,
     * is near each: its line makes none. */
    static void lines() throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        ExecutorService one = Executors.newSingleThreadExecutor(), overrides = new Overrides();
        Executor any = pool, at_once = Runnable::run, forwards = new Forwards(pool), refuses = task -> {
            throw new RejectedExecutionException();
        };
        Runnable task = () -> sleep(0);
        List<Callable<Object>> calls = List.of(Executors.callable(task), Executors.callable(task));
        ExecutorCompletionService<Object> completion = new ExecutorCompletionService<>(pool);
        for (int i = 0; i < 40; i++) {
            at_once.execute(() -> {});
            if (i < 3)
                pool.execute(task); // lines: 3
            if (i < 5)
                any.execute(task); // lines: 5
            if (i < 7)
                one.submit(task); // lines: 7
            if (i < 9)
                one.submit(task, "done"); // lines: 9
            if (i < 11)
                pool.submit(Executors.callable(task)); // lines: 11
            at_once.execute(() -> {});
            if (i < 13)
                List.of(task).forEach(pool::execute); // lines: 13
            try {
                refuses.execute(task);
            } catch (RejectedExecutionException refused) {
                any.execute(i < 15 ? task : new FutureTask<>(Executors.callable(task))); // lines: 40
            }
            if (i < 4)
                one.invokeAll(calls); // lines: 8
            at_once.execute(() -> {});
            if (i < 17)
                completion.submit(task, "done"); // lines: 17
            at_once.execute(() -> pool.execute(task)); // lines: 40
            if (i < 19)
                overrides.execute(task);
            if (i < 23)
                forwards.execute(task);
        }
        end(pool);
        end(one);
        end(overrides);
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "small" -> small();
            case "uneven" -> uneven();
            case "large" -> large();
            case "same" -> same();
            case "kinds" -> kinds();
            case "scheduled" -> scheduled();
            case "stopped" -> stopped();
            case "dropped" -> dropped();
            case "lines" -> lines();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("truth: ran=" + ran);
    }
}
