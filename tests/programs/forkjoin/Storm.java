import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.LongAdder;

/** Many tiny tasks, that count themselves, by class. Storm WHAT N. */
public class Storm {
    static final LongAdder tasks = new LongAdder(), leaves = new LongAdder();

    /** Forks one, computes the other. */
    static class Fibonacci extends RecursiveTask<Long> {
        final int n;

        Fibonacci(int n) {
            this.n = n;
        }

        @Override
        protected Long compute() {
            tasks.increment();
            if (n < 2)
                return (long) n;
            Fibonacci one = new Fibonacci(n - 1);
            one.fork();
            return new Fibonacci(n - 2).compute() + one.join();
        }
    }

    /** invokeAll and invoke. */
    static class Tree extends RecursiveAction {
        final int depth;

        Tree(int depth) {
            this.depth = depth;
        }

        @Override
        protected void compute() {
            tasks.increment();
            if (depth == 0)
                new Leaf().invoke();
            else
                invokeAll(new Tree(depth - 1), new Tree(depth - 1));
        }
    }

    static class Leaf extends RecursiveAction {
        @Override
        protected void compute() {
            leaves.increment();
        }
    }

    /** Has a superclass with a compute() of its own, and calls it; some throw. */
    static class Heir extends Leaf {
        final int number;

        Heir(int number) {
            this.number = number;
        }

        @Override
        protected void compute() {
            tasks.increment();
            super.compute();
            if (number % 1000 == 999)
                throw new IllegalStateException("thrown in compute");
        }
    }

    /** One task forks all others, some of which somebody has asked for their hash, and joins them. */
    static class Flat extends RecursiveAction {
        final int count;
        final boolean heirs;

        Flat(int count, boolean heirs) {
            this.count = count;
            this.heirs = heirs;
        }

        @Override
        protected void compute() {
            List<ForkJoinTask<?>> all = new ArrayList<>();
            tasks.increment();
            for (int i = 0; i < count; i++) {
                RecursiveAction task = heirs ? new Heir(i) : new Leaf();
                if (i % 7 == 0)
                    task.hashCode();
                all.add(task.fork());
            }
            for (ForkJoinTask<?> task : all)
                task.quietlyJoin();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[1]);
        ForkJoinPool pool = new ForkJoinPool(2);
        switch (arguments[0]) {
        case "fibonacci" -> pool.invoke(new Fibonacci(n));
        case "tree" -> pool.invoke(new Tree(n));
        case "flat" -> pool.invoke(new Flat(n, false));
        case "heirs" -> pool.invoke(new Flat(n, true));
        }
        System.out.println("truth: tasks=" + tasks.sum());
        System.out.println("truth: leaves=" + leaves.sum());
    }
}
