// question: my threads use a ReentrantLock; is it the reason?
// answer: synchronization; OneLock\.lock
// Most of the work is done under the lock.
import java.util.concurrent.locks.*;
public class OneLock {
  static final ReentrantLock lock = new ReentrantLock(); static double s;
  static void work(int k) { for (int i = 0; i < k; i++) s += Math.sqrt(i); }
  public static void main(String[] a) throws Exception {
    Thread[] t = new Thread[4];
    for (int i = 0; i < 4; i++) { t[i] = new Thread(() -> { for (int k = 0; k < 200; k++) { lock.lock(); try { work(200000); } finally { lock.unlock(); } } }, "writer-" + i); t[i].start(); }
    for (Thread x : t) x.join();
    System.out.println(s);
  }
}
