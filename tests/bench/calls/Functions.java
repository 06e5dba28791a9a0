import java.lang.management.ManagementFactory;
import java.util.function.LongUnaryOperator;

/** Functions N: ns a call of methods that do next to nothing, as functions.c has them; the second time, when all is compiled. */
public final class Functions {
    static volatile long sink;

    static final class Of {
        static long leaf(long n) {
            return n + 1;
        }

        static long inner(long n) {
            return leaf(n) + 1;
        }

        static long outer(long n) {
            return inner(n) + 1;
        }

        static long fibonacci(long n) {
            return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2) + 1;
        }
    }

    static long oneFunction(long n) {
        for (long i = 0; i < n; i++)
            sink = Of.leaf(sink);
        return n;
    }

    static long threeDeep(long n) {
        for (long i = 0; i < n; i += 3)
            sink = Of.outer(sink);
        return n;
    }

    /* Its result is the number of calls. */
    static long recursion(long n) {
        long calls = 0;
        while (calls < n)
            calls += sink = Of.fibonacci(20);
        return calls;
    }

    static double ns(LongUnaryOperator pattern, long n) {
        var threads = ManagementFactory.getThreadMXBean();
        double best = Double.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long begin = threads.getCurrentThreadCpuTime(), calls = pattern.applyAsLong(n);
            best = Math.min(best, (double) (threads.getCurrentThreadCpuTime() - begin) / calls);
        }
        return best;
    }

    public static void main(String[] arguments) {
        long n = Long.parseLong(arguments[0]);
        System.out.printf("one_function %.2f%n", ns(Functions::oneFunction, n));
        System.out.printf("three_deep %.2f%n", ns(Functions::threeDeep, n));
        System.out.printf("recursion %.2f%n", ns(Functions::recursion, n));
    }
}
