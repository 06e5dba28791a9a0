// question: main waits at a CountDownLatch; for whom?
// answer: imbalance,serial; .
// One of two workers has five times the work.
import java.util.concurrent.*;
public class LongLatch {
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    public static void main(String[] arguments) throws Exception {
        CountDownLatch latch = new CountDownLatch(2);
        long[] n = {600_000_000L, 120_000_000L};
        double[] sum = new double[2];
        for (int i = 0; i < 2; i++) {
            int at = i;
            new Thread(() -> {
                sum[at] = work(n[at]);
                latch.countDown();
            }, "worker " + i).start();
        }
        latch.await();
        System.out.println("done");
    }
}
