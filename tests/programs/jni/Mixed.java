/* A Java program whose native code uses OpenMP: ./Mixed REGIONS. Both sides say how often they did what. */
public class Mixed {
  /** Executes a parallel region with a loop of n iterations; returns their number. */
  private static native long region(int n);

  private static final Object turn = new Object();
  private static int whose = -1; /* nobody's before main says so */
  private static final int[] waits = new int[2];

  /** Two threads take turns, a region each; what a thread waits for is main's word, then the other's region. */
  private static long play(int me, int regions) throws InterruptedException {
    long iterations = 0;
    for (int i = 0; i < regions; i++) {
      synchronized (turn) {
        while (whose != me) {
          turn.wait();
          waits[me]++;
        }
        iterations += region(100);
        whose = 1 - me;
        turn.notifyAll();
      }
    }
    return iterations;
  }

  public static void main(String[] arguments) throws Exception {
    System.loadLibrary("mixed");
    int regions = Integer.parseInt(arguments[0]);
    long[] iterations = new long[2];
    Thread[] threads = new Thread[2];
    for (int t = 0; t < 2; t++) {
      int me = t;
      threads[t] = new Thread(() -> {
        try {
          iterations[me] = play(me, regions);
        } catch (InterruptedException e) {
          throw new RuntimeException(e);
        }
      }, "player " + t);
      threads[t].start();
    }
    for (Thread thread : threads) /* so that each of them has waited at least once */
      while (thread.getState() != Thread.State.WAITING)
        Thread.sleep(1);
    synchronized (turn) {
      whose = 0;
      turn.notifyAll();
    }
    for (Thread thread : threads)
      thread.join();
    System.out.println("truth: parallel=" + 2 * regions);
    System.out.println("truth: iterations=" + (iterations[0] + iterations[1]));
    for (int t = 0; t < 2; t++)
      System.out.println("truth: waits_" + t + "=" + waits[t]);
  }
}
