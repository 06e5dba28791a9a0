// question: my parallel stream is hardly faster than a stream
// answer: imbalance,tasks; .
// One element takes as long as all others together, and more.
import java.util.stream.IntStream;
public class Uneven {
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    public static void main(String[] arguments) {
        double sum = 0;
        for (int i = 0; i < 5; i++)
            sum += IntStream.range(0, 64).parallel().mapToDouble(n -> work(n == 40 ? 150_000_000 : 500_000)).sum();
        System.out.println(sum > 0);
    }
}
