/* A thread waits at one line that two methods call, so often: for time, and for a monitor that main gives up when it does. */
public final class Callers {
    private static final Object monitor = new Object();
    private static volatile boolean over;

    private static void sleep() throws InterruptedException {
        Thread.sleep(1);
    }

    private static void enter() {
        synchronized (monitor) {
            over = true;
        }
    }

    private static void first() throws InterruptedException {
        sleep();
        enter();
    }

    private static void second() throws InterruptedException {
        sleep();
        sleep();
        enter();
    }

    private static void round(boolean first) throws InterruptedException {
        Thread worker = new Thread(() -> {
            try {
                if (first)
                    first();
                else
                    second();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "worker");
        synchronized (monitor) {
            worker.start();
            while (worker.getState() != Thread.State.BLOCKED)
                Thread.onSpinWait();
        }
        worker.join();
    }

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < 8; i++)
            round(i < 5);
    }
}
