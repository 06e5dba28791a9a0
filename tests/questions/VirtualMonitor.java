// question: my virtual threads do not scale
// answer: synchronization; VirtualMonitor
// run: jdk=25
// They share one monitor.
import java.util.concurrent.*;
public class VirtualMonitor {
  static final Object lock = new Object(); static long n;
  static double work(int k) { double v = 0; for (int i = 0; i < k; i++) v += Math.sqrt(i); return v; }
  public static void main(String[] a) throws Exception {
    try (var ex = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 20; i++) ex.submit(() -> { for (int k = 0; k < 10; k++) { synchronized (lock) { n++; Thread.sleep(2); } work(20000); } return 0; });
    }
    System.out.println(n);
  }
}
