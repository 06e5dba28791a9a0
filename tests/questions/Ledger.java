// question: my threads share one ledger; why do they not scale?
// answer: synchronization; Ledger
// Most of the work is in a synchronized method.
public class Ledger {
    double total;
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    synchronized void add(long n) {
        total += work(n);
    }
    public static void main(String[] arguments) throws Exception {
        Ledger ledger = new Ledger();
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            threads[i] = new Thread(() -> {
                for (int j = 0; j < 300; j++)
                    ledger.add(2_000_000);
            });
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("done");
    }
}
