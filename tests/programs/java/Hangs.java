import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.ReentrantLock;

/** Programs that hang, each in its own way: Hangs monitors|locks|both|join. A thread says "stuck" before the call that never returns. */
public class Hangs {
  static class Fork {
    final ReentrantLock lock = new ReentrantLock();
  }

  static final Fork LEFT = new Fork(), RIGHT = new Fork();
  static final CyclicBarrier MET = new CyclicBarrier(2);

  static void meet() {
    try {
      MET.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    System.out.println("stuck");
  }

  static void monitors(Fork first, Fork second) {
    synchronized (first) { // mark: first monitor */
      meet();
      synchronized (second) { // mark: second monitor */
        System.out.println("eaten");
      }
    }
  }

  static void locks(Fork first, Fork second) {
    first.lock.lock(); // mark: first lock */
    meet();
    second.lock.lock(); // mark: second lock */
    System.out.println("eaten");
  }

  static void monitorThenLock() {
    synchronized (LEFT) { // mark: monitor before lock */
      meet();
      RIGHT.lock.lock(); // mark: lock in monitor */
      System.out.println("eaten");
    }
  }

  static void lockThenMonitor() {
    RIGHT.lock.lock(); // mark: lock before monitor */
    meet();
    synchronized (LEFT) { // mark: monitor in lock */
      System.out.println("eaten");
    }
  }

  static void joined(Thread other) {
    synchronized (LEFT) { // mark: monitor before join */
      meet();
      try {
        other.join(); // mark: join */
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static void joins() {
    meet();
    synchronized (LEFT) { // mark: monitor for ever */
      System.out.println("eaten");
    }
  }

  static Thread start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.start();
    return thread;
  }

  public static void main(String[] arguments) {
    switch (arguments[0]) {
      case "monitors" -> {
        start("one", () -> monitors(LEFT, RIGHT));
        start("two", () -> monitors(RIGHT, LEFT));
      }
      case "locks" -> {
        start("one", () -> locks(LEFT, RIGHT));
        start("two", () -> locks(RIGHT, LEFT));
      }
      case "both" -> {
        start("one", Hangs::monitorThenLock);
        start("two", Hangs::lockThenMonitor);
      }
      default -> {
        Thread two = start("two", Hangs::joins);
        start("one", () -> joined(two));
      }
    }
  }
}
