import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that use processor time in known methods, when they are told to. A line of standard input is a number n: each
 * of two threads works for n milliseconds of its own processor time, nine parts of them in `hot` and one in `cold`; a
 * third one, which begins for that and ends, works so long in `brief`.
 */
public class Functions {
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static final int THREADS = 2;
    static volatile long sink;
    static volatile int ms, phase;
    static volatile int[] done = new int[THREADS]; /* phases */

    /* The work of each is its own: a sample in a method that they call would not be theirs. */
    static void hot(int parts) {
        long value = parts;
        for (int i = 0; i < parts * 10000; i++)
            value = (value ^ value << 13 ^ value >>> 7) * 31 + i;
        sink += value;
    }

    static void cold(int parts) {
        long value = parts;
        for (int i = 0; i < parts * 10000; i++)
            value = (value ^ value << 7 ^ value >>> 9) * 29 + i;
        sink += value;
    }

    static void brief(int parts) {
        long value = parts;
        for (int i = 0; i < parts * 10000; i++)
            value = (value ^ value << 17 ^ value >>> 5) * 27 + i;
        sink += value;
    }

    static void both(int forMs) {
        for (long begin = BEAN.getCurrentThreadCpuTime(); BEAN.getCurrentThreadCpuTime() - begin < forMs * 1_000_000L;) {
            hot(9);
            cold(1);
        }
    }

    static void once(int forMs) {
        for (long begin = BEAN.getCurrentThreadCpuTime(); BEAN.getCurrentThreadCpuTime() - begin < forMs * 1_000_000L;)
            brief(10);
    }

    static void serve(int number) {
        for (int next = 1;; next++) {
            while (phase < next)
                LockSupport.parkNanos(10_000_000);
            both(ms);
            done[number] = next;
            done = done; /* volatile */
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < THREADS; i++) {
            final int number = i;
            Thread thread = new Thread(() -> serve(number), "works-" + number);
            thread.setDaemon(true);
            thread.start();
        }
        byte[] line = new byte[16];
        for (int size = System.in.read(line); size > 0; size = System.in.read(line)) {
            ms = Integer.parseInt(new String(line, 0, size).trim());
            phase++;
            Thread ends = new Thread(() -> once(ms), "ends");
            ends.start();
            ends.join();
            for (int i = 0; i < THREADS; i++)
                while (done[i] < phase)
                    Thread.sleep(1);
            System.out.println("done: " + ms);
        }
        System.out.println("result: right");
    }
}
