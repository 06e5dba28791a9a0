import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Works until a file appears: Server FILE [BUSY]. Two threads wait 10 ms again and again, in Object.wait; main sleeps as often as
 * it looks for the file. FILE.rounds says how often each of the three has done so. BUSY threads contend for a monitor and
 * make garbage meanwhile.
 */
public class Server {
  private static volatile boolean stop;
  private static byte[] garbage;
  private static final AtomicIntegerArray WAITS = new AtomicIntegerArray(2);

  private static void beBusy() {
    for (long i = 0; !stop; i++)
      synchronized (Server.class) {
        garbage = new byte[(int) (i % 5000)];
      }
  }

  private static void work(int worker) {
    Object lock = new Object();
    try {
      while (!stop)
        synchronized (lock) {
          lock.wait(10);
          WAITS.incrementAndGet(worker);
        }
    } catch (InterruptedException e) {
      throw new RuntimeException(e);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      int worker = i;
      threads[i] = new Thread(() -> work(worker), "worker " + i);
      threads[i].start();
    }
    int busy = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
    Thread[] others = new Thread[busy];
    for (int i = 0; i < busy; i++) {
      others[i] = new Thread(Server::beBusy, "busy " + i);
      others[i].start();
    }
    System.out.println("ready");
    Path rounds = Path.of(arguments[0] + ".rounds");
    for (int sleeps = 0; !Files.exists(file); sleeps++) {
      Files.writeString(rounds, sleeps + " " + WAITS.get(0) + " " + WAITS.get(1) + "\n");
      Thread.sleep(5);
    }
    stop = true;
    for (Thread thread : threads)
      thread.join();
    for (Thread thread : others)
      thread.join();
    System.out.println("done");
  }
}
