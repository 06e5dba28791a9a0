// question: an executor for many tiny tasks does not make it faster
// answer: grain; TinyTasks
// Each task adds one number; fetching it takes longer.
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
public class TinyTasks {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        LongAdder sum = new LongAdder();
        for (int i = 0; i < 1_500_000; i++)
            pool.execute(() -> sum.add(1));
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println(sum);
    }
}
