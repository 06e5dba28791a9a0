// question: a ReentrantReadWriteLock with many writes
// answer: synchronization; WriteLock\.table
// Each thread has only writes.
import java.util.concurrent.locks.*;
public class WriteLock {
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    static final ReentrantReadWriteLock table = new ReentrantReadWriteLock();
    static void body(int me) {
        for (int i = 0; i < 60; i++) {
            table.writeLock().lock();
            try { work(6_000_000); } finally { table.writeLock().unlock(); }
        }
    }
    public static void main(String[] arguments) throws Exception {
        Thread[] t = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int me = i;
            t[i] = new Thread(() -> body(me));
            t[i].start();
        }
        for (Thread x : t)
            x.join();
    }
}
