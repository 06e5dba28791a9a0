import java.nio.file.Files;
import java.nio.file.Path;

/** Works until a file appears: Server FILE. Two threads wait 10 ms again and again, in Object.wait. */
public class Server {
  private static volatile boolean stop;

  private static void work() {
    Object lock = new Object();
    try {
      while (!stop)
        synchronized (lock) {
          lock.wait(10);
        }
    } catch (InterruptedException e) {
      throw new RuntimeException(e);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(Server::work, "worker " + i);
      threads[i].start();
    }
    System.out.println("ready");
    while (!Files.exists(file))
      Thread.sleep(5);
    stop = true;
    for (Thread thread : threads)
      thread.join();
    System.out.println("done");
  }
}
