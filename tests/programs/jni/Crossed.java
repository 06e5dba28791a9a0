import java.util.concurrent.CyclicBarrier;

/** Hangs: one thread holds a monitor and waits for a mutex of native code, another one holds the mutex and waits for the monitor. */
public class Crossed {
  static final Object GUARD = new Object();
  static final CyclicBarrier MET = new CyclicBarrier(2);

  /** Locks the mutex, and calls inside() if `call` says so. */
  static native void lock(boolean call);

  static void meet() {
    try {
      MET.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    System.out.println("stuck");
  }

  static void inside() {
    meet();
    synchronized (GUARD) { // mark: monitor in mutex */
      System.out.println("eaten");
    }
  }

  static void outside() {
    synchronized (GUARD) { // mark: monitor before mutex */
      meet();
      lock(false); // mark: mutex in monitor */
    }
  }

  public static void main(String[] arguments) {
    System.loadLibrary("crossed");
    new Thread(() -> lock(true), "one").start();
    new Thread(Crossed::outside, "two").start();
  }
}
