import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Who makes tasks, and how long they are in a queue. The pool has one worker. Makers WHAT. */
public class Makers {
    static final int HELD_MS = 40;
    static long longest;

    static class Leaf extends RecursiveAction {
        long forked, began;

        @Override
        protected void compute() {
            began = System.nanoTime();
        }

        Leaf start() {
            forked = System.nanoTime();
            fork();
            return this;
        }
    }

    /** Has the compute() of its superclass. */
    static class Heir extends Leaf {
    }

    /** Forks two, and is busy before it joins them; and computes one itself. */
    static class Holding extends RecursiveAction {
        @Override
        protected void compute() {
            Leaf one = new Leaf().start(), two = new Heir().start();
            hold();
            two.join();
            one.join();
            new Leaf().compute();
            longest = Math.max(one.began - one.forked, two.began - two.forked);
        }
    }

    /** Each way to make tasks from one. */
    static class Ways extends RecursiveAction {
        @Override
        protected void compute() {
            invokeAll(new Leaf(), new Leaf());
            invokeAll(new Leaf(), new Leaf(), new Leaf());
            invokeAll(List.of(new Leaf(), new Leaf()));
            new Leaf().invoke();
            Leaf taken = new Leaf().start();
            new Leaf().compute();
            if (taken.tryUnfork())
                taken.compute();
        }
    }

    /** Methods of this name that run no task. */
    static class Overloads extends RecursiveTask<Integer> {
        static int compute(Object of) {
            return of == null ? 0 : 1;
        }

        int compute(int from, int to) {
            return to - from < 2 ? compute((Object) this) : compute(from, (from + to) / 2) + compute((from + to) / 2, to);
        }

        @Override
        protected Integer compute() {
            return compute(0, 64);
        }
    }

    /** Tasks by inheritance alone. */
    abstract static class Numbered extends RecursiveTask<Integer> {
        int number() {
            return 20;
        }
    }

    static class Middle extends Numbered {
        @Override
        protected Integer compute() {
            if (number() < 0)
                throw new IllegalStateException();
            return number();
        }
    }

    /** Its superclass does the rest. */
    static class Upper extends Middle {
        @Override
        protected Integer compute() {
            return super.compute() + 1;
        }
    }

    static class Failing extends Upper {
        @Override
        int number() {
            return -1;
        }
    }

    /** No task, and loaded before what it inherits from. */
    static class Machine {
        int compute() {
            return 1;
        }
    }

    static class Calculator extends Machine {
        @Override
        int compute() {
            return super.compute() + 1;
        }
    }

    static class Heirs extends RecursiveTask<Integer> {
        @Override
        protected Integer compute() {
            int sum = new Calculator().compute() + new Calculator().compute();
            Upper upper = new Upper();
            Middle middle = new Middle();
            upper.fork();
            middle.fork();
            sum += middle.join() + upper.join() + new Upper().compute();
            try {
                new Failing().compute();
            } catch (IllegalStateException meant) {
                sum += 1000;
            }
            return sum + new Middle().compute();
        }
    }

    /** Its one child is cancelled before the only worker can begin it. */
    static class Cancelling extends RecursiveAction {
        @Override
        protected void compute() {
            ForkJoinTask<Void> child = new Leaf().fork();
            child.cancel(false);
        }
    }

    private static void hold() {
        try {
            TimeUnit.MILLISECONDS.sleep(HELD_MS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The worker is busy, until all have come. */
    private static void given(ForkJoinPool pool) {
        CountDownLatch latch = new CountDownLatch(1);
        pool.execute(new RecursiveAction() {
            @Override
            protected void compute() {
                try {
                    latch.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        pool.execute(new Leaf());
        ForkJoinTask<Void> last = pool.submit(new Leaf());
        latch.countDown();
        last.join();
    }

    public static void main(String[] arguments) {
        ForkJoinPool pool = new ForkJoinPool(1);
        switch (arguments[0]) {
            case "holds" -> pool.invoke(new Holding());
            case "ways" -> pool.invoke(new Ways());
            case "overloads" -> System.out.println(pool.invoke(new Overloads()));
            case "heirs" -> System.out.println(pool.invoke(new Heirs()));
            case "cancels" -> pool.invoke(new Cancelling());
            case "given" -> given(pool);
            default -> System.out.println(IntStream.range(0, 1 << 16).parallel().map(i -> i % 7).sum());
        }
        System.out.println("truth: held_ms=" + HELD_MS);
        System.out.println("truth: longest_ns=" + longest);
    }
}
