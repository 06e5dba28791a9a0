// question: only one of my threads works at a time
// answer: synchronization; Semaphore|Permits|permits
// A Semaphore has one permit, which a thread holds for the whole item.
import java.util.concurrent.Semaphore;
public class Permits {
    static final Semaphore permits = new Semaphore(1);
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[2];
        double[] sum = new double[2];
        for (int i = 0; i < 2; i++) {
            int at = i;
            threads[i] = new Thread(() -> {
                for (int j = 0; j < 100; j++) {
                    permits.acquireUninterruptibly();
                    try {
                        sum[at] += work(6_000_000);
                    } finally {
                        permits.release();
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("done");
    }
}
