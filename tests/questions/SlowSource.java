// question: my consumer waits for its queue
// answer: serial,imbalance; source|SlowSource
// The thread that fills the queue needs four times as long for an item as the consumer.
import java.util.concurrent.*;
public class SlowSource {
    static double work(long n) {
        double v = 0;
        for (long k = 0; k < n; k++)
            v += Math.sqrt(k);
        return v;
    }
    public static void main(String[] arguments) throws Exception {
        BlockingQueue<Double> queue = new LinkedBlockingQueue<>();
        Thread source = new Thread(() -> {
            for (int i = 0; i < 60; i++)
                queue.add(work(20_000_000));
        }, "source");
        double[] sum = new double[1];
        Thread consumer = new Thread(() -> {
            try {
                for (int i = 0; i < 60; i++)
                    sum[0] += queue.take() + work(5_000_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "consumer");
        source.start();
        consumer.start();
        source.join();
        consumer.join();
        System.out.println("done");
    }
}
