import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;

/** Tasks that compute each other until the stack overflows, again and again; then few, which are all to be seen. */
public class Deep {
    static class Endless extends RecursiveAction {
        @Override
        protected void compute() {
            new Endless().compute();
        }
    }

    static class Few extends RecursiveTask<Integer> {
        final int n;

        Few(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            return n == 0 ? 0 : 1 + new Few(n - 1).compute();
        }
    }

    static void run() {
        for (int i = 0; i < 10; i++)
            try {
                new Endless().compute();
            } catch (StackOverflowError overflow) {
                System.out.print(".");
            }
        System.out.println(new Few(10).invoke());
    }

    public static void main(String[] arguments) throws Exception {
        run();
        Thread thread = new Thread(null, Deep::run, "another", 512 << 10);
        thread.start();
        thread.join();
    }
}
