import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Programs that hang, each in its own way: Hangs monitors|locks|classes|both|three|join|broken [threads [crowd]]. A thread says "stuck" before the call that never returns.
 * By `threads`, a letter each, they are platform threads, virtual ones, virtual ones below a native method, or virtual ones without a name: pvna.
 * "broken" ends: once there is input, one thread is interrupted.
 * Before them, a crowd of so many virtual threads waits for a lock and a monitor that the main thread has.
 */
public class Hangs {
  static class Fork {
    final ReentrantLock lock = new ReentrantLock();
  }

  static final Fork LEFT = new Fork(), RIGHT = new Fork();
  static CyclicBarrier met = new CyclicBarrier(2);
  static String threads = "ppp";
  static int started;

  static void meet() {
    try {
      met.await();
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

  /** Each class needs the other one, which another thread initializes. */
  static class Left {
    static int number;
    static {
      meet();
      number = Right.number + 1; // mark: needs the right class */
    }
  }

  static class Right {
    static int number;
    static {
      meet();
      number = Left.number + 1; // mark: needs the left class */
    }
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

  static void monitorThenMonitor() {
    synchronized (RIGHT) { // mark: monitor before monitor */
      meet();
      synchronized (LEFT) { // mark: monitor in monitor */
        System.out.println("eaten");
      }
    }
  }

  static void lockThenOther() {
    RIGHT.lock.lock(); // mark: lock before the other monitor */
    meet();
    synchronized (RIGHT) { // mark: other monitor in lock */
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

  /** javac of JDK 17 has no virtual threads. A call by reflection is a native method, if the JVM is asked for that. */
  static Thread startVirtual(String name, Runnable work, boolean pinned) throws ReflectiveOperationException {
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    if (name != null)
      type.getMethod("name", String.class).invoke(builder, name);
    Method run = Runnable.class.getMethod("run");
    return (Thread) type.getMethod("start", Runnable.class).invoke(builder, !pinned ? work : (Runnable) () -> {
      try {
        run.invoke(work);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    });
  }

  static Thread start(String name, Runnable work) throws ReflectiveOperationException {
    char kind = threads.charAt(started++);
    if (kind != 'p')
      return startVirtual(kind == 'a' ? null : name, work, kind == 'n');
    Thread thread = new Thread(work, name);
    thread.start();
    return thread;
  }

  static final Fork CROWD = new Fork();

  static void takeForCrowd(CountDownLatch came) {
    came.countDown();
    if (came.getCount() % 2 == 0)
      CROWD.lock.lock();
    else
      synchronized (CROWD) {
        System.out.println("never");
      }
  }

  static void hangBehindCrowd(String[] arguments) throws Exception {
    int many = Integer.parseInt(arguments[2]);
    CountDownLatch came = new CountDownLatch(many);
    synchronized (CROWD) {
      CROWD.lock.lock();
      for (int i = 0; i < many; i++)
        startVirtual(null, () -> takeForCrowd(came), false);
      came.await();
      start(arguments);
      new CountDownLatch(1).await();
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 1)
      threads = arguments[1];
    if (arguments.length > 2)
      hangBehindCrowd(arguments);
    start(arguments);
    if (!threads.contains("p")) // virtual threads do not keep the JVM
      new CountDownLatch(1).await();
  }

  static void lockOrGiveUp(Fork first, Fork second) {
    first.lock.lock();
    meet();
    try {
      second.lock.lockInterruptibly(); // mark: lock for a while */
      second.lock.unlock();
    } catch (InterruptedException e) {
      System.out.println("gave up");
    }
    first.lock.unlock();
  }

  static void breakIt() throws Exception {
    Thread one = start("one", () -> lockOrGiveUp(LEFT, RIGHT)), two = start("two", () -> lockOrGiveUp(RIGHT, LEFT));
    System.in.read();
    one.interrupt();
    one.join();
    two.join();
    System.exit(0);
  }

  static void start(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "broken" -> breakIt();
      case "monitors" -> {
        start("one", () -> monitors(LEFT, RIGHT));
        start("two", () -> monitors(RIGHT, LEFT));
      }
      case "locks" -> {
        start("one", () -> locks(LEFT, RIGHT));
        start("two", () -> locks(RIGHT, LEFT));
      }
      case "classes" -> {
        start("one", () -> System.out.println(Left.number));
        start("two", () -> System.out.println(Right.number));
      }
      case "both" -> {
        start("one", Hangs::monitorThenLock);
        start("two", Hangs::lockThenMonitor);
      }
      case "three" -> {
        met = new CyclicBarrier(3);
        start("one", Hangs::monitorThenLock);
        start("two", Hangs::lockThenOther);
        start("three", Hangs::monitorThenMonitor);
      }
      default -> {
        Thread two = start("two", Hangs::joins);
        start("one", () -> joined(two));
      }
    }
  }
}
