import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/*
 * Methods that call each other at random, and count their own calls by path: `CallTree SEED CALLS THREADS
 * DEPTH [virtual]`. All ways out of a method are taken: returns of each type, exceptions that are caught here or
 * further out, also those that a constructor's call of another one throws.
 */
public final class CallTree {
    private static final class Leaves extends RuntimeException {
        final int height;

        Leaves(int height) {
            super(null, null, false, false);
            this.height = height;
        }
    }

    /* What the program counts is in a class whose calls are not recorded. */
    static final class Count {
        static final Map<String, Map<String, int[]>> threads = new ConcurrentHashMap<>();
        final Map<String, int[]> paths = new HashMap<>();
        final StringBuilder path = new StringBuilder();
        final Random random;
        final int depth;
        int left;

        Count(int seed, int calls, int depth) {
            this.depth = depth;
            random = new Random(seed);
            left = calls;
        }

        boolean enter(char name) {
            path.append(name);
            paths.computeIfAbsent(path.toString(), any -> new int[1])[0]++;
            return --left > 0 && path.length() < depth;
        }

        void leave() {
            path.setLength(path.length() - 1);
        }
    }

    final Count count;

    CallTree(Count count) {
        this.count = count;
    }

    /* Calls some of the others, and may throw: to be caught so many calls further out. */
    private void some() {
        for (int n = count.random.nextInt(4); n > 0 && count.left > 0; n--) {
            try {
                one();
            } catch (Leaves thrown) {
                if (thrown.height > 0)
                    throw new Leaves(thrown.height - 1);
            }
        }
        if (count.random.nextInt(16) == 0)
            throw new Leaves(count.random.nextInt(3));
    }

    private void one() {
        switch (count.random.nextInt(10)) {
            case 0: f_a(); break;
            case 1: f_b(1); break;
            case 2: f_c(this); break;
            case 3: f_d(2.0, 3); break;
            case 4: f_e("e"); break;
            case 5: f_f(1, 2L); break;
            case 6: f_g(); break;
            case 7: new Made(this); break;
            case 8: thrown(); break;
            default: ((Runnable) () -> body('l')).run(); break;
        }
    }

    /* What Thrown's call of super() throws is caught where Thrown is made. */
    private void thrown() {
        try {
            new Thrown(this);
        } catch (Leaves thrown) {
            if (thrown.height > 0)
                throw thrown;
        }
        f_a();
    }

    private void body(char name) {
        try {
            if (count.enter(name))
                some();
        } finally {
            count.leave();
        }
    }

    void f_a() {
        body('a');
    }

    int f_b(int n) {
        body('b');
        return n + 1;
    }

    static CallTree f_c(CallTree tree) {
        tree.body('c');
        return tree;
    }

    double f_d(double x, long n) {
        if (n > 2) {
            body('d');
            return x;
        }
        return n;
    }

    synchronized long f_e(String text) {
        body('e');
        return text.length();
    }

    float f_f(int a, long b) {
        try {
            body('f');
        } catch (Leaves thrown) {
            if (thrown.height == 0)
                return 1;
            throw thrown;
        } finally {
            a++;
        }
        return a + b;
    }

    static class Base {
        Base(int n) {
            if (n < 0)
                throw new IllegalArgumentException();
        }

        Base(CallTree tree) {
            tree.body('t');
        }
    }

    static final class Thrown extends Base {
        Thrown(CallTree tree) {
            super(tree);
        }
    }

    /* A constructor that calls before and after its super(), with a choice in between. */
    static final class Made extends Base {
        Made(CallTree tree) {
            super(tree.count.random.nextBoolean() ? new Object().hashCode() & 1 : length(new StringBuilder("x")));
            tree.body('m');
        }

        private static int length(StringBuilder text) {
            return text.length();
        }
    }

    interface Default {
        CallTree tree();

        default void f_g() {
            tree().body('g');
        }
    }

    void f_g() {
        ((Default) () -> this).f_g();
    }

    private static void run(String name, Count count) {
        CallTree tree = new CallTree(count);
        while (count.left > 0) {
            try {
                tree.one();
            } catch (Leaves thrown) {
                count.path.setLength(0);
            }
        }
        Count.threads.put(name, count.paths);
    }

    public static void main(String[] arguments) throws Exception {
        int seed = Integer.parseInt(arguments[0]), calls = Integer.parseInt(arguments[1]), depth = Integer.parseInt(arguments[3]);
        Thread[] threads = new Thread[Integer.parseInt(arguments[2])];
        for (int i = 0; i < threads.length; i++) {
            String name = "random-" + i;
            Count count = new Count(seed + i, calls, depth);
            Runnable runnable = () -> run(name, count);
            if (arguments.length > 4) /* a virtual thread, of a JDK that has such */
                threads[i] = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, runnable);
            else
                (threads[i] = new Thread(runnable, name)).start();
        }
        for (Thread thread : threads)
            thread.join();
        StringBuilder out = new StringBuilder();
        Count.threads.forEach((name, paths) -> paths.forEach((path, n) -> out.append("path " + name + " " + path + " " + n[0] + "\n")));
        System.out.print(out);
    }
}
