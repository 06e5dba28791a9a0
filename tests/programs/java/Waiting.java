import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait, each for something else, before an agent comes: Waiting. A line of stdin is an order: "wake" ends all
 * waits but that of "for ever"; the end of stdin ends the program.
 */
public class Waiting {
  static final Object MONITOR = new Object(), HELD = new Object();
  static final ReentrantLock LOCK = new ReentrantLock();
  static volatile boolean woken;
  static volatile long counted;

  interface Body {
    void run() throws Exception;
  }

  static Thread start(String name, Body body) {
    Thread thread = new Thread(() -> {
      try {
        body.run();
      } catch (Exception e) {
        // interrupted: it was woken
      }
    }, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  static void waitFor(Thread thread, Thread.State... states) throws Exception {
    while (!java.util.Arrays.asList(states).contains(thread.getState())) {
      Thread.sleep(1);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Thread waits = start("waits", () -> {
      synchronized (MONITOR) {
        while (!woken) {
          MONITOR.wait(); // mark: waits
        }
      }
    });
    Thread sleeps = start("sleeps", () -> Thread.sleep(1000000)); // mark: sleeps
    Thread parks = start("parks", () -> {
      while (!woken) {
        LockSupport.park(LOCK); // mark: parks
      }
    });
    Thread forEver = start("for ever", () -> {
      while (true) {
        LockSupport.park(LOCK); // mark: for ever
      }
    });
    start("runs", () -> {
      while (true) {
        counted++;
      }
    });
    Thread enters;
    synchronized (HELD) {
      enters = start("enters", () -> {
        synchronized (HELD) { // mark: enters
          counted++;
        }
      });
      for (Thread thread : new Thread[] {waits, sleeps, parks, forEver, enters}) {
        waitFor(thread, Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED);
      }
      System.out.println("ready");
      System.in.read();
      woken = true;
      synchronized (MONITOR) {
        MONITOR.notifyAll();
      }
      LockSupport.unpark(parks);
      sleeps.interrupt();
    }
    for (Thread thread : new Thread[] {waits, sleeps, parks, enters}) {
      thread.join();
    }
    System.out.println("woken");
    while (System.in.read() >= 0) {
      continue;
    }
  }
}
