/* A thread that has waited in a synchronized method blocks before it goes on, because another one still has the monitor. */
public final class Reentered {
    private boolean told;

    private synchronized void await() throws InterruptedException {
        while (!told)
            wait();
    }

    private synchronized void tell(Thread waiter) {
        told = true;
        notify();
        while (waiter.getState() != Thread.State.BLOCKED)
            Thread.onSpinWait();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Reentered object = new Reentered();
        Thread waiter = new Thread(() -> {
            try {
                object.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "waiter");
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING)
            Thread.onSpinWait();
        object.tell(waiter);
        waiter.join();
    }
}
