// question: I use an ExecutorService; why is my program not parallel?
// answer: threads,tasks; .
// The pool has one thread.
import java.util.concurrent.*;
public class OneWorker {
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        double[] sum = new double[40];
        for (int i = 0; i < 40; i++) {
            int at = i;
            pool.submit(() -> sum[at] = work(20_000_000));
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println("done");
    }
}
