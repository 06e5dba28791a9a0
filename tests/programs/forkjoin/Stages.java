import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** Stages of CompletableFuture, work that a ForkJoinPool is given, parallel streams: tasks that count themselves. The argument chooses. */
public class Stages {
    static final AtomicInteger ran = new AtomicInteger();

    static int work(int milliseconds) {
        ran.incrementAndGet();
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return 1;
    }

    /** Stages that wait for others, and such that need not. */
    static void chains() throws Exception {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Integer> one = CompletableFuture.supplyAsync(() -> work(1));
            CompletableFuture<Integer> two = one.thenApplyAsync(n -> n + work(0));
            CompletableFuture<Integer> same = two.thenApply(n -> n + 1); // a part of the task before, or of main
            CompletableFuture<Void> three = CompletableFuture.runAsync(() -> work(0));
            all.add(same.thenCombineAsync(three, (n, nothing) -> n + work(0)));
            all.add(one.applyToEitherAsync(two, n -> n + work(0)));
        }
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).join();
        int sum = 0;
        for (CompletableFuture<?> stage : all)
            sum += (Integer) stage.get();
        System.out.println("sum=" + sum);
        CompletableFuture<Integer> fails = CompletableFuture.supplyAsync(() -> {
            work(0);
            throw new IllegalStateException("thrown in a stage");
        });
        CompletableFuture<Integer> never = fails.thenApplyAsync(n -> n + work(0));
        System.out.println(never.exceptionally(thrown -> -1).join());
    }

    /** Stages with an executor of their own. */
    static void own() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Integer> one = CompletableFuture.supplyAsync(() -> work(1), pool);
            System.out.println(one.thenApplyAsync(n -> n + work(0), pool).join());
        }
        CompletableFuture.runAsync(() -> work(0), Runnable::run).join(); // main runs it
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }

    /** As Pools.small: two workers, and eight tasks of 20 ms. */
    static void queued() {
        AtomicLong queued = new AtomicLong();
        List<CompletableFuture<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            long submitted = System.nanoTime();
            tasks.add(CompletableFuture.runAsync(() -> {
                queued.accumulateAndGet(System.nanoTime() - submitted, Math::max);
                work(20);
            }));
        }
        while (ran.get() < 8) // main does not help
            Thread.onSpinWait();
        for (CompletableFuture<Void> task : tasks)
            task.join();
        System.out.println("truth: longest_queue_us=" + queued.get() / 1000);
    }

    /** Runnables and Callables for a fork-join pool. */
    static void given() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(2);
        CountDownLatch executed = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            pool.execute(() -> {
                work(0);
                executed.countDown();
            });
            pool.submit(() -> work(1)).get();
            pool.submit((Runnable) () -> work(0)).get();
            pool.submit(() -> work(0), 7).get();
        }
        executed.await();
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++)
            calls.add(() -> work(1));
        int sum = 0;
        for (Future<Integer> one : pool.invokeAll(calls))
            sum += one.get();
        System.out.println("sum=" + sum);
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }

    /** Says how often it was split: an operation has one task more. */
    static class Split implements Spliterator<Integer> {
        static final AtomicInteger splits = new AtomicInteger();
        final Spliterator<Integer> all;

        Split(Spliterator<Integer> all) {
            this.all = all;
        }

        static Split of(int count) {
            return new Split(IntStream.range(0, count).spliterator());
        }

        @Override
        public boolean tryAdvance(Consumer<? super Integer> action) {
            return all.tryAdvance(action);
        }

        @Override
        public void forEachRemaining(Consumer<? super Integer> action) {
            all.forEachRemaining(action);
        }

        @Override
        public Spliterator<Integer> trySplit() {
            Spliterator<Integer> part = all.trySplit();
            if (part == null)
                return null;
            splits.incrementAndGet();
            return new Split(part);
        }

        @Override
        public long estimateSize() {
            return all.estimateSize();
        }

        @Override
        public int characteristics() {
            return all.characteristics() & ~SORTED;
        }
    }

    static void streams() throws Exception {
        int operations = 0;
        long sum = 0;
        for (int i = 0; i < 5; i++, operations += 4) {
            sum += StreamSupport.stream(Split.of(10000), true).mapToInt(n -> n % 7).sum();
            sum += StreamSupport.stream(Split.of(10000), true).map(n -> n % 5).reduce(0, Integer::sum);
            StreamSupport.stream(Split.of(1000), true).forEach(n -> Thread.onSpinWait());
            sum += StreamSupport.stream(Split.of(1000), true).anyMatch(n -> n < 0) ? 1 : 0;
        }
        ForkJoinPool pool = new ForkJoinPool(2); // a stream in a task belongs to its pool
        sum += pool.submit(() -> StreamSupport.stream(Split.of(1000), true).mapToInt(n -> 1).sum()).get();
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println("sum=" + sum);
        System.out.println("truth: stream_tasks=" + (Split.splits.get() + operations + 1));
    }

    static void sorts() {
        int[] numbers = IntStream.range(0, 1 << 16).map(i -> (i * 7919) & 0xffff).toArray();
        Arrays.parallelSort(numbers);
        Arrays.parallelPrefix(numbers, Integer::sum);
        System.out.println("sorted=" + numbers[100]);
    }

    static class Sleeper extends RecursiveAction {
        @Override
        protected void compute() {
            work(50);
        }
    }

    /** The time of five waits for tasks that have begun, in microseconds. */
    static void waits(String pool, Supplier<Future<?>> submit) throws Exception {
        long waited = 0;
        for (int i = 0; i < 5; i++) {
            int before = ran.get();
            Future<?> task = submit.get();
            while (ran.get() == before) // main does not execute it
                Thread.onSpinWait();
            long begin = System.nanoTime();
            task.get();
            waited += System.nanoTime() - begin;
        }
        System.out.println("truth: " + pool + "_us=" + waited / 1000);
    }

    /** Waits for one task of 50 ms after the other, of three pools. */
    static void awaited() throws Exception {
        ExecutorService fixed = Executors.newFixedThreadPool(2);
        ForkJoinPool pool = new ForkJoinPool(2);
        waits("fixed", () -> fixed.submit(() -> work(50)));
        waits("forked", () -> pool.submit(new Sleeper()));
        waits("common", () -> CompletableFuture.supplyAsync(() -> work(50)));
        for (ExecutorService each : new ExecutorService[] {fixed, pool}) {
            each.shutdown();
            each.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "chains" -> {
                chains();
                own();
            }
            case "queued" -> queued();
            case "given" -> given();
            case "streams" -> {
                streams();
                sorts();
            }
            case "awaited" -> awaited();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("truth: ran=" + ran);
        if (arguments.length > 1) // it waits for a line
            System.in.read();
    }
}
