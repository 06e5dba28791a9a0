import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What synchronization of Java costs: Locks WHAT ROUNDS OPERATIONS. Prints the ns of an operation, a line a round.
 * Locks truth 1 N: N times each of what a tracer can see, in methods of their own.
 */
public class Locks {
  private static final Object monitor = new Object();
  private static final ReentrantLock lock = new ReentrantLock();
  private static long shared;
  private static volatile int turn;

  interface Work {
    void run(int thread, int operations) throws Exception;
  }

  private static void enter(int thread, int operations) {
    for (int i = 0; i < operations; i++)
      synchronized (monitor) {
        shared++;
      }
  }

  private static void lock(int thread, int operations) {
    for (int i = 0; i < operations; i++) {
      lock.lock();
      try {
        shared++;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Two threads pass a turn to and fro; each wait is one. */
  private static void pingPong(int thread, int operations) throws InterruptedException {
    synchronized (monitor) {
      for (int i = 0; i < operations; i++) {
        while (turn != thread)
          monitor.wait();
        turn = 1 - thread;
        monitor.notify();
      }
    }
  }

  /** The permit is there: the park returns at once. */
  private static void park(int thread, int operations) {
    Thread self = Thread.currentThread();
    for (int i = 0; i < operations; i++) {
      LockSupport.unpark(self);
      LockSupport.park(monitor);
    }
  }

  /** A task each, through an executor of one worker: submitted, executed, and all ended. */
  private static void tasks(int thread, int operations) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(1);
    for (int i = 0; i < operations; i++)
      pool.execute(() -> shared++);
    pool.shutdown();
    pool.awaitTermination(1, TimeUnit.MINUTES);
  }

  /** Halves a range until one is left: one half is forked, the other one computed. */
  private static class Range extends RecursiveAction {
    private final int size;

    Range(int size) {
      this.size = size;
    }

    @Override
    protected void compute() {
      if (size < 2)
        return;
      Range half = new Range(size / 2);
      half.fork();
      new Range(size - size / 2).compute();
      half.join();
    }
  }

  /** So many tasks of a pool of one worker, half of them forked. */
  private static void forks(int thread, int operations) {
    ForkJoinPool pool = new ForkJoinPool(1);
    pool.invoke(new Range(operations / 2));
    pool.shutdown();
  }

  private static double measure(int threads, int operations, Work work) throws Exception {
    CountDownLatch ready = new CountDownLatch(threads), go = new CountDownLatch(1);
    Thread[] all = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      int me = t;
      all[t] = new Thread(() -> {
        ready.countDown();
        try {
          go.await();
          work.run(me, operations);
        } catch (Exception e) {
          throw new RuntimeException(e);
        }
      });
      all[t].start();
    }
    ready.await();
    long begin = System.nanoTime();
    go.countDown();
    for (Thread thread : all)
      thread.join();
    return (System.nanoTime() - begin) / (double) operations / threads;
  }

  private static void enterOnce() {
    synchronized (monitor) {
      shared++;
    }
  }

  private static void waitOnce() throws InterruptedException {
    synchronized (monitor) {
      monitor.wait(1);
    }
  }

  private static void parkOnce() {
    LockSupport.parkNanos(lock, 1_000_000);
  }

  /** n times one thread blocks because the other has the monitor, n times in wait, n times in park: all of them last. */
  private static void truth(int n) throws Exception {
    for (int i = 0; i < n; i++) {
      Thread blocked = new Thread(Locks::enterOnce);
      synchronized (monitor) {
        blocked.start();
        while (blocked.getState() != Thread.State.BLOCKED)
          Thread.onSpinWait();
      }
      blocked.join();
      waitOnce();
      parkOnce();
    }
  }

  public static void main(String[] arguments) throws Exception {
    String what = arguments[0];
    int rounds = Integer.parseInt(arguments[1]), operations = Integer.parseInt(arguments[2]);
    if (what.equals("truth")) {
      truth(operations);
      return;
    }
    for (int i = 0; i < rounds; i++) {
      double ns = switch (what) {
        case "synchronized" -> measure(1, operations, Locks::enter);
        case "contended synchronized" -> measure(2, operations, Locks::enter);
        case "ReentrantLock" -> measure(1, operations, Locks::lock);
        case "contended ReentrantLock" -> measure(2, operations, Locks::lock);
        case "wait and notify" -> measure(2, operations / 100, Locks::pingPong);
        case "unpark and park" -> measure(1, operations / 10, Locks::park);
        case "task of an executor" -> measure(1, operations / 10, Locks::tasks);
        case "fork-join task" -> measure(1, operations / 10, Locks::forks);
        default -> throw new IllegalArgumentException(what);
      };
      System.out.println(ns);
    }
  }
}
