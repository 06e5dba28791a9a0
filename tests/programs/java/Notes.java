import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/* Counts what it does: notify, notifyAll, interrupt, unpark, start, yield. Argument: how often. */
public final class Notes {
    public static void main(String[] arguments) throws InterruptedException {
        int n = Integer.parseInt(arguments[0]);
        Object object = new Object();
        CountDownLatch over = new CountDownLatch(1);
        Thread target = new Thread(() -> {
            while (over.getCount() > 0)
                LockSupport.park(object);
        }, "target");
        target.start();
        Thread source = new Thread(() -> {
            for (int i = 0; i < n; i++)
                synchronized (object) {
                    object.notify();
                    object.notifyAll();
                }
            for (int i = 0; i < n; i++)
                LockSupport.unpark(target);
            for (int i = 0; i < n; i++)
                Thread.currentThread().interrupt();
            Thread.interrupted();
            for (int i = 0; i < n; i++)
                Thread.yield();
            Thread.currentThread().setName("source renamed \u00e4\ud83d\ude00");
        }, "source");
        source.start();
        source.join();
        over.countDown();
        LockSupport.unpark(target);
        target.join();
        System.out.println("truth: source=" + source.getId());
        System.out.println("truth: target=" + target.getId());
    }
}
