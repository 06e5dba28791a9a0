// question: one of my threads always waits; the method is static synchronized
// answer: synchronization; StaticSync\.class
// All work is in the method, so its class is the lock.
public class StaticSync {
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    static synchronized double once() { return work(4_000_000); }
    static void body(int me) {
        for (int i = 0; i < 80; i++)
            once();
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
