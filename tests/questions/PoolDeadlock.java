// question: my program stopped, and uses no processor
// answer: deadlock,forever; pool
// run: killed=8
// Tasks of a pool wait for tasks that the same pool shall execute.
import java.util.concurrent.*;
public class PoolDeadlock {
  public static void main(String[] a) throws Exception {
    ExecutorService p = Executors.newFixedThreadPool(2);
    Callable<Integer> outer = () -> { Thread.sleep(50); Future<Integer> f = p.submit(() -> 1); return f.get(); };
    Future<Integer> f1 = p.submit(outer), f2 = p.submit(outer);
    System.out.println(f1.get() + f2.get());
    p.shutdown();
  }
}
