import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/* Every way to wait, each several times, by threads that do nothing else. Argument: how often. */
public final class Waits {
    private static final Object monitor = new Object();
    private static final ReentrantLock lock = new ReentrantLock();
    private static volatile boolean go;

    private static void monitors(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            Truth thread;
            synchronized (monitor) {
                thread = new Truth("enter " + i, truth -> {
                    truth.begin();
                    synchronized (monitor) { truth.end("monitor enter"); }
                }).start();
                thread.release(0, Thread.State.BLOCKED, () -> { });
            }
            thread.thread.join();
        }
    }

    private static void objectWaits(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            Truth thread = new Truth("wait " + i, truth -> {
                synchronized (monitor) {
                    truth.begin();
                    monitor.wait(4); truth.end("Object.wait timed out");
                    truth.begin();
                    monitor.wait(); truth.end("Object.wait");
                    truth.begin();
                    try { monitor.wait(); } catch (InterruptedException e) { truth.end("Object.wait interrupted"); }
                }
            }).start();
            thread.release(1, Thread.State.WAITING, () -> { synchronized (monitor) { monitor.notify(); } });
            thread.release(2, Thread.State.WAITING, thread.thread::interrupt);
            thread.thread.join();
        }
    }

    private static void sleepsAndJoins(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            Truth sleeper = new Truth("sleep " + i, truth -> {
                truth.begin();
                Thread.sleep(5); truth.end("Thread.sleep timed out");
                truth.begin();
                try { Thread.sleep(1000000); } catch (InterruptedException e) { truth.end("Thread.sleep interrupted"); }
            }).start();
            Truth joiner = new Truth("join " + i, truth -> {
                truth.begin();
                sleeper.thread.join(); truth.end("Thread.join");
            }).start();
            Truth.until(joiner.thread, Thread.State.WAITING);
            sleeper.release(1, Thread.State.TIMED_WAITING, sleeper.thread::interrupt);
            joiner.thread.join();
        }
    }

    private static void parks(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            go = false;
            Truth thread = new Truth("park " + i, truth -> {
                truth.begin();
                LockSupport.parkNanos(4000000); truth.end("park timed out");
                while (!go) {
                    truth.begin();
                    LockSupport.park(monitor); truth.end("park");
                }
            }).start();
            thread.release(1, Thread.State.WAITING, () -> { go = true; LockSupport.unpark(thread.thread); });
            thread.thread.join();
        }
    }

    private static void locks(int n) throws InterruptedException {
        Condition condition = lock.newCondition();
        for (int i = 0; i < n; i++) {
            lock.lock();
            Truth locker = new Truth("lock " + i, truth -> {
                truth.begin();
                lock.lock(); truth.end("lock");
                lock.unlock();
            }).start();
            locker.release(0, Thread.State.WAITING, lock::unlock);
            locker.thread.join();
            Truth waiter = new Truth("condition " + i, truth -> {
                lock.lock();
                truth.begin();
                condition.await(); truth.end("park");
                lock.unlock();
            }).start();
            waiter.release(0, Thread.State.WAITING, () -> { lock.lock(); condition.signal(); lock.unlock(); });
            waiter.thread.join();
        }
    }

    private static void others(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            CountDownLatch latch = new CountDownLatch(1);
            ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
            Semaphore semaphore = new Semaphore(0);
            CyclicBarrier barrier = new CyclicBarrier(2);
            Truth thread = new Truth("other " + i, truth -> {
                truth.begin();
                latch.await(); truth.end("park");
                truth.begin();
                queue.take(); truth.end("park");
                truth.begin();
                semaphore.acquire(); truth.end("lock");
                truth.begin();
                barrier.await(); truth.end("park");
            }).start();
            thread.release(0, Thread.State.WAITING, latch::countDown);
            thread.release(1, Thread.State.WAITING, () -> queue.add(1));
            thread.release(2, Thread.State.WAITING, semaphore::release);
            thread.release(3, Thread.State.WAITING, () -> { });
            barrier.await();
            thread.thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        monitors(n);
        objectWaits(n);
        sleepsAndJoins(n);
        parks(n);
        locks(n);
        others(n);
        Truth.print();
    }
}
