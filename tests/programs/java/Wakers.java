/*
 * A thread waits for turns; two others give them, and each knows how many it gave. Argument: how many. Prints how often it
 * waited: more often if the JVM wakes it without a reason.
 */
public final class Wakers {
    private static final Object lock = new Object();
    private static int turn, waits;

    private static void give(Thread waiter, int number, boolean all) {
        while (waiter.getState() != Thread.State.WAITING)
            Thread.onSpinWait();
        synchronized (lock) {
            turn = number;
            if (all)
                lock.notifyAll();
            else
                lock.notify();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int n = Integer.parseInt(arguments[0]);
        Thread waiter = new Thread(() -> {
            synchronized (lock) {
                for (int i = 1; i <= n; i++)
                    while (turn < i)
                        try {
                            waits++;
                            lock.wait();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
            }
        }, "waiter");
        Thread[] givers = new Thread[2];
        for (int k = 0; k < 2; k++) {
            int own = k;
            givers[k] = new Thread(() -> {
                for (int i = 1; i <= n; i++) {
                    if (i % 2 != own)
                        continue;
                    while (true) {
                        synchronized (lock) {
                            if (turn == i - 1)
                                break;
                        }
                        Thread.yield();
                    }
                    give(waiter, i, own == 1);
                }
            }, "giver " + k);
        }
        waiter.start();
        for (Thread giver : givers)
            giver.start();
        waiter.join();
        for (Thread giver : givers)
            giver.join();
        System.out.println("waits: " + waits);
    }
}
