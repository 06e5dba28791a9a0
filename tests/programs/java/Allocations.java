import java.util.concurrent.locks.LockSupport;

/**
 * Allocates arrays of 1000 bytes, which take 1016, when it is told to. A line of standard input is a number n: each of
 * three threads allocates n times its own number of them; a fourth one, which begins for that and ends, n as well.
 */
public class Allocations {
    static final int THREADS = 3;
    static volatile byte[] sink; /* so that no array is left out */
    static volatile int arrays, phase;
    static volatile int[] done = new int[THREADS + 1]; /* phases */

    static void allocate(int count) {
        for (int i = 0; i < count; i++)
            sink = new byte[1000];
    }

    static void serve(int number) {
        for (int next = 1;; next++) {
            while (phase < next)
                LockSupport.parkNanos(1_000_000);
            allocate(arrays * number);
            done[number] = next;
            done = done; /* volatile */
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i <= THREADS; i++) {
            final int number = i;
            Thread thread = new Thread(() -> serve(number), "allocates-" + number);
            thread.setDaemon(true);
            thread.start();
        }
        byte[] line = new byte[16];
        for (int size = System.in.read(line); size > 0; size = System.in.read(line)) {
            arrays = Integer.parseInt(new String(line, 0, size).trim());
            phase++;
            Thread short_lived = new Thread(() -> allocate(arrays), "ends");
            short_lived.start();
            short_lived.join();
            for (int i = 1; i <= THREADS; i++)
                while (done[i] < phase)
                    Thread.sleep(1);
            System.out.println("done: " + arrays);
        }
        System.out.println("result: right");
    }
}
