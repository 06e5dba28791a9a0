// question: my parallel stream calls a server for each element
// answer: tasks,blocked; pool|sleep
// Each element sleeps in a thread of the common pool.
import java.util.stream.*;
public class StreamSleeps {
  static int call(int i) { try { Thread.sleep(100); } catch (Exception e) {} return i; }
  public static void main(String[] a) throws Exception {
    long s = IntStream.range(0, 24).parallel().map(StreamSleeps::call).sum();
    System.out.println(s);
  }
}
