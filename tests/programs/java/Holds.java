import java.util.ArrayList;
import java.util.List;

/*
 * Holds of a monitor that are known. In each round the main thread has it until all workers are blocked; each of them gets
 * it once, whoever is first, and has it for a while. Nobody waits for the last one to give it up. Arguments: rounds,
 * workers. Each hold of a worker but the last ones is printed: held: <thread>|<least>|<most>, in ns. The least is what the
 * thread saw while it had the monitor; the most is from the last look of the one before to the first look of the next one.
 */
public final class Holds {
    /* A thread's looks at the clock, both while it has the monitor. */
    private record Look(String name, long first, long last) { }

    private static final Object monitor = new Object();
    private static final List<Look> looks = new ArrayList<>(); /* of a round, in the order in which they got it */

    private static void work(int ms) {
        synchronized (monitor) {
            long first = System.nanoTime();
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            looks.add(new Look(Thread.currentThread().getName(), first, System.nanoTime()));
        }
    }

    private static Thread start(int round, int worker) throws InterruptedException {
        int ms = 4 + 3 * worker;
        Thread thread = new Thread(() -> work(ms), "round " + round + " worker " + worker);
        thread.start();
        while (thread.getState() != Thread.State.BLOCKED)
            Thread.sleep(1);
        return thread;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]), workers = Integer.parseInt(arguments[1]);
        for (int round = 0; round < rounds; round++) {
            List<Thread> threads = new ArrayList<>();
            looks.clear();
            synchronized (monitor) {
                long first = System.nanoTime();
                for (int worker = 0; worker < workers; worker++)
                    threads.add(start(round, worker));
                Thread.sleep(11);
                looks.add(new Look("main", first, System.nanoTime()));
            }
            for (Thread thread : threads)
                thread.join();
            for (int i = 1; i < workers; i++) {
                Look before = looks.get(i - 1), holder = looks.get(i), next = looks.get(i + 1);
                System.out.println("held: " + holder.name + "|" + (holder.last - holder.first) + "|" + (next.first - before.last));
            }
        }
    }
}
