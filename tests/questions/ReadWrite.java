// question: my readers should not wait for each other
// answer: synchronization,blocked; updater
// A writer holds the lock for long.
import java.util.concurrent.locks.*;
public class ReadWrite {
  static final ReentrantReadWriteLock l = new ReentrantReadWriteLock();
  public static void main(String[] a) throws Exception {
    Thread w = new Thread(() -> { for (int i = 0; i < 5; i++) { l.writeLock().lock(); try { Thread.sleep(150); } catch (Exception e) {} finally { l.writeLock().unlock(); } try { Thread.sleep(5); } catch (Exception e) {} } }, "updater");
    Thread[] r = new Thread[3];
    w.start();
    for (int i = 0; i < 3; i++) { r[i] = new Thread(() -> { for (int k = 0; k < 200; k++) { l.readLock().lock(); try { double v = 0; for (int j = 0; j < 20000; j++) v += Math.sqrt(j); } finally { l.readLock().unlock(); } } }, "reader-" + i); r[i].start(); }
    for (Thread x : r) x.join(); w.join();
  }
}
