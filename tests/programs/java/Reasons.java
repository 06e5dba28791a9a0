import java.lang.reflect.Method;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Programs with one reason for being slow: Reasons slow|collect|write|permits|monitor. */
public class Reasons {
  static volatile double sum;

  static void work(int times) {
    double x = 1;
    for (int i = 0; i < times * 1000; i++)
      x += Math.sqrt(i);
    sum += x;
  }

  static void sleep(int ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static class Slow {
    static int number;
    static {
      long end = System.nanoTime() + 1_000_000_000L;
      while (System.nanoTime() < end)
        work(1);
      number = 1;
    }
  }

  /** Its superclass is slow, so whoever needs it waits for that. */
  static class Derived extends Slow {
    static int own = 2;
  }

  static void run(int threads, Runnable what) throws InterruptedException {
    Thread[] all = new Thread[threads];
    for (int i = 0; i < threads; i++)
      (all[i] = new Thread(what, "worker-" + i)).start();
    for (Thread thread : all)
      thread.join();
  }

  static void collect() {
    for (int i = 0; i < 20; i++) {
      work(1000);
      System.gc(); // mark: collects */
    }
  }

  static final ReentrantReadWriteLock SHARED = new ReentrantReadWriteLock();

  static void write() {
    for (int i = 0; i < 30; i++) {
      SHARED.writeLock().lock();
      work(8000);
      SHARED.writeLock().unlock();
      sleep(1);
    }
  }

  static void read() {
    for (int i = 0; i < 60; i++) {
      SHARED.readLock().lock(); // mark: reads */
      work(100);
      SHARED.readLock().unlock();
      sleep(1);
    }
  }

  static final Semaphore PERMIT = new Semaphore(1);

  static void permits() {
    for (int i = 0; i < 40; i++) {
      PERMIT.acquireUninterruptibly(); // mark: permit */
      work(8000);
      PERMIT.release();
    }
  }

  static final Object LOCK = new Object();

  static void hold() {
    for (int i = 0; i < 40; i++)
      synchronized (LOCK) { // mark: monitor */
        sleep(2);
      }
  }

  /** javac of JDK 17 has no virtual threads. */
  static void runVirtual(int threads, Runnable what) throws Exception {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Method start = Class.forName("java.lang.Thread$Builder").getMethod("start", Runnable.class);
    Thread[] all = new Thread[threads];
    for (int i = 0; i < threads; i++)
      all[i] = (Thread) start.invoke(builder, what);
    for (Thread thread : all)
      thread.join();
  }

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "slow" -> run(4, () -> System.out.println(Derived.own)); // mark: needs the slow one */
      case "collect" -> {
        Object[] kept = new Object[300000];
        for (int i = 0; i < kept.length; i++)
          kept[i] = new int[10];
        run(2, Reasons::collect);
        System.out.println(kept.length);
      }
      case "write" -> {
        Thread writer = new Thread(Reasons::write, "writer");
        writer.start();
        run(3, Reasons::read);
        writer.join();
      }
      case "permits" -> run(2, Reasons::permits);
      default -> runVirtual(20, Reasons::hold);
    }
  }
}
