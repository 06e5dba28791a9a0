import java.util.Arrays;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Tasks of a pool, that count themselves; a parallel stream and a parallel sort. */
public class Forks {
    static final AtomicInteger computed = new AtomicInteger();

    static class Fibonacci extends RecursiveTask<Integer> {
        final int n;

        Fibonacci(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            computed.incrementAndGet();
            if (n < 2)
                return n;
            Fibonacci one = new Fibonacci(n - 1);
            one.fork();
            return new Fibonacci(n - 2).compute() + one.join();
        }
    }

    static class Failing extends RecursiveAction {
        @Override
        protected void compute() {
            computed.incrementAndGet();
            throw new IllegalStateException("thrown in compute");
        }
    }

    public static void main(String[] arguments) {
        ForkJoinPool pool = new ForkJoinPool(3);
        System.out.println("fibonacci=" + pool.invoke(new Fibonacci(12)));
        try {
            pool.invoke(new Failing());
        } catch (IllegalStateException thrown) {
            System.out.println(thrown.getMessage());
        }
        System.out.println("truth: computed=" + computed);
        if (arguments.length > 0) { // more than tasks of its own
            System.out.println("stream=" + IntStream.range(0, 1 << 16).parallel().map(i -> i % 7).sum());
            int[] numbers = IntStream.range(0, 1 << 16).map(i -> (i * 7919) & 0xffff).toArray();
            Arrays.parallelSort(numbers);
            System.out.println("sorted=" + numbers[100]);
        }
    }
}
