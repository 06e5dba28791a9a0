import java.util.ArrayList;
import java.util.List;

/*
 * Holds of a monitor that are known. In each round the main thread has it until all workers are blocked; each of them gets
 * it once, whoever is first, and has it for a while. Nobody waits for the last one to give it up. Arguments: rounds,
 * workers. Each hold but the last ones is printed: held: <thread>|<ns>; the main thread's from when others wait for it.
 */
public final class Holds {
    private static final Object monitor = new Object();
    private static final List<String> held = new ArrayList<>(); /* of the workers in the order in which they got it */

    private static String line(String name, long ns) {
        return "held: " + name + "|" + ns;
    }

    private static void work(int ms) {
        synchronized (monitor) {
            long begin = System.nanoTime();
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            long ns = System.nanoTime() - begin;
            held.add(line(Thread.currentThread().getName(), ns));
        }
    }

    private static List<Thread> start(int round, int workers) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            int ms = 4 + 3 * i;
            Thread thread = new Thread(() -> work(ms), "round " + round + " worker " + i);
            threads.add(thread);
            thread.start();
            while (thread.getState() != Thread.State.BLOCKED)
                Thread.onSpinWait();
        }
        return threads;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]), workers = Integer.parseInt(arguments[1]);
        for (int round = 0; round < rounds; round++) {
            List<Thread> first, others;
            long ns, blocked;
            held.clear();
            synchronized (monitor) {
                first = start(2 * round, 1);
                blocked = System.nanoTime();
                others = start(2 * round + 1, workers - 1);
                Thread.sleep(11);
                ns = System.nanoTime() - blocked;
            }
            first.addAll(others);
            for (Thread thread : first)
                thread.join();
            System.out.println(line("main", ns));
            for (String hold : held.subList(0, workers - 1))
                System.out.println(hold);
        }
    }
}
