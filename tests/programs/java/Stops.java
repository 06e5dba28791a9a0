import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * What the JVM stops threads for, but for collections that stop all: java Stops stalls THREADS MS allocates faster than a collector
 * frees; java Stops dumps N has the JVM stop at N safepoints while a thread computes. Says what it did.
 */
public class Stops {
  private static final int KEPT = 16, BYTES = 300_000;
  private static volatile boolean over;
  private static volatile long sink;

  private static void allocate(long end) {
    byte[][] kept = new byte[KEPT][];
    for (int i = 0; System.nanoTime() < end; i++)
      kept[i % KEPT] = new byte[BYTES];
    sink += kept[0].length;
  }

  private static void stalls(int threads, long ms) throws InterruptedException {
    long end = System.nanoTime() + ms * 1_000_000;
    Thread[] all = new Thread[threads];
    for (int i = 0; i < threads; i++) {
      all[i] = new Thread(() -> allocate(end), "allocates (" + i + ") 99999.000ms");
      all[i].start();
    }
    for (Thread thread : all)
      thread.join();
  }

  private static void compute() {
    while (!over)
      for (int i = 0; i < 1000; i++)
        sink += i;
  }

  private static void dumps(int n) throws InterruptedException {
    ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    Thread computing = new Thread(Stops::compute, "computes");
    computing.start();
    Thread.sleep(20);
    for (int i = 0; i < n; i++) {
      bean.dumpAllThreads(true, true);
      Thread.sleep(2);
    }
    over = true;
    computing.join();
  }

  public static void main(String[] arguments) throws InterruptedException {
    if (arguments[0].equals("stalls"))
      stalls(Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
    else
      dumps(Integer.parseInt(arguments[1]));
    System.out.println("done");
  }
}
