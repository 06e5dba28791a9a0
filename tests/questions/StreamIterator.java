// question: my parallel stream reads from an iterator, and it does not get faster
// answer: tasks; pool task @StreamIterator.java
// A stream of unknown size hands out its first 1024 elements as one task.
import java.util.Iterator;
import java.util.Spliterators;
import java.util.stream.StreamSupport;

public class StreamIterator {
  static double work(int steps) {
    double sum = 0;
    for (int k = 0; k < steps; k++)
      sum += Math.sqrt(k + sum);
    return sum;
  }

  public static void main(String[] arguments) {
    Iterator<Integer> items = new Iterator<>() {
      int given;

      public boolean hasNext() {
        return given < 500;
      }

      public Integer next() {
        return given++;
      }
    };
    System.out.println(StreamSupport.stream(Spliterators.spliteratorUnknownSize(items, 0), true).mapToDouble(i -> work(400000)).sum());
  }
}
