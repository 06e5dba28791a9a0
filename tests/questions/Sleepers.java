// question: my pool has as many threads as processors; why is the machine idle?
// answer: blocked; sleep|kernel|Sleepers
// Each task sleeps, as if it asked a server.
import java.util.concurrent.*;
public class Sleepers {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 60; i++)
            pool.submit(() -> {
                Thread.sleep(40);
                return null;
            });
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println("done");
    }
}
