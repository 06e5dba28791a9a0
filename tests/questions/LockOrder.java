// question: my program stopped
// answer: deadlock,forever; wait
// run: killed=6
// Two threads take two monitors in different order.
public class LockOrder {
  static final Object a = new Object(), b = new Object();
  static void take(Object x, Object y) { synchronized (x) { try { Thread.sleep(100); } catch (Exception e) {} synchronized (y) { System.out.println("got"); } } }
  public static void main(String[] s) throws Exception {
    Thread t1 = new Thread(() -> take(a, b), "transfer-1"), t2 = new Thread(() -> take(b, a), "transfer-2");
    t1.start(); t2.start(); t1.join(); t2.join();
  }
}
