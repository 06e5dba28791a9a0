// question: my parallel stream is slower than a sequential one
// answer: grain; small|task|larger|fewer
// It has few elements, and is executed again and again.
import java.util.stream.*;
public class SmallStream {
  public static void main(String[] a) { long s = 0; for (int r = 0; r < 30000; r++) s += IntStream.range(0, 64).parallel().map(x -> x * 3).sum(); System.out.println(s); }
}
