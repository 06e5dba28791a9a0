// question: my threads meet at a CyclicBarrier after each round; who keeps them?
// answer: imbalance; Rounds.java:21
// One of two threads of one class has four times the work of the other.
import java.util.concurrent.CyclicBarrier;
public class Rounds {
    static final CyclicBarrier barrier = new CyclicBarrier(2);
    static final double[] sums = new double[2];
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    public static void main(String[] arguments) throws Exception {
        Thread[] team = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int at = i;
            team[i] = new Thread(() -> {
                for (int round = 0; round < 40; round++) {
                    sums[at] += work(at == 0 ? 20_000_000 : 5_000_000);
                    try { barrier.await(); } catch (Exception e) { return; }
                }
            }, "member " + i);
        }
        for (Thread thread : team)
            thread.start();
        for (Thread thread : team)
            thread.join();
        System.out.println(sums[0] > 0);
    }
}
