// question: my program stops while it starts
// answer: deadlock,forever; init
// run: killed=8
// Two classes need each other to be initialized.
public class ClassInit {
  static class A { static int x; static { sleep(); x = B.y + 1; } }
  static class B { static int y; static { sleep(); y = A.x + 1; } }
  static void sleep() { try { Thread.sleep(100); } catch (Exception e) {} }
  public static void main(String[] s) throws Exception {
    Thread t1 = new Thread(() -> System.out.println(A.x), "init-A"), t2 = new Thread(() -> System.out.println(B.y), "init-B");
    t1.start(); t2.start(); t1.join(); t2.join();
  }
}
