import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/* In each round a thread waits for an object that is in a field, or in none, until main lets it go on. */
public final class Fields {
    private interface Work {
        void run() throws InterruptedException;
    }

    private final Object guard = new Object();
    private static final Object[][] forks = {{new Object(), new Object()}};
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition full = lock.newCondition();
    private final ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);

    private static Thread start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "worker");
        thread.start();
        return thread;
    }

    private static void waits(Thread thread) throws InterruptedException {
        while (thread.getState() == Thread.State.NEW || thread.getState() == Thread.State.RUNNABLE)
            Thread.onSpinWait();
        Thread.sleep(2); /* a wait of less than some microseconds has no object */
    }

    private void monitors(int i) throws InterruptedException {
        Object local = new StringBuilder();
        Thread[] threads = new Thread[4];
        synchronized (guard) {
            synchronized (forks[0][i + 1]) {
                synchronized (local) {
                    synchronized (this) {
                        threads[0] = start(() -> { synchronized (guard) { guard.notify(); } });
                        threads[1] = start(() -> { synchronized (forks[0][i + 1]) { guard.hashCode(); } });
                        threads[2] = start(() -> { synchronized (local) { guard.hashCode(); } });
                        threads[3] = start(() -> { synchronized (this) { guard.hashCode(); } });
                        for (Thread thread : threads)
                            waits(thread);
                    }
                }
            }
        }
        for (Thread thread : threads)
            thread.join();
    }

    private void locks() throws InterruptedException {
        lock.lock();
        Thread thread;
        try {
            thread = start(() -> { lock.lock(); lock.unlock(); });
            waits(thread);
        } finally {
            lock.unlock();
        }
        thread.join();
    }

    private void conditions() throws InterruptedException {
        Thread thread = start(() -> {
            lock.lock();
            try {
                full.await(1, TimeUnit.HOURS);
            } finally {
                lock.unlock();
            }
        });
        while (thread.getState() != Thread.State.TIMED_WAITING)
            Thread.onSpinWait();
        waits(thread);
        lock.lock();
        try {
            full.signal();
        } finally {
            lock.unlock();
        }
        thread.join();
        thread = start(() -> queue.poll(1, TimeUnit.HOURS));
        waits(thread);
        queue.add(1);
        thread.join();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Fields fields = new Fields();
        fields.monitors(0);
        fields.locks();
        fields.conditions();
    }
}
