/**
 * Timeouts THREADS TIMES: threads that are all there at once; each waits TIMES times until the time is over, and in between
 * until it is notified.
 */
public final class Timeouts {
    private boolean waits;

    private synchronized void untilNotified() throws InterruptedException {
        waits = true;
        wait();
        waits = false;
    }

    private synchronized void untilTimeIsOver() throws InterruptedException {
        wait(1);
    }

    private void run(int times) {
        try {
            for (int i = 0; i < times; i++) {
                untilTimeIsOver();
                untilNotified();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized boolean notifyIfItWaits() {
        boolean did = waits;
        if (did)
            notify();
        waits = false;
        return did;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int threads = Integer.parseInt(arguments[0]), times = Integer.parseInt(arguments[1]);
        Timeouts[] all = new Timeouts[threads];
        for (int t = 0; t < threads; t++) {
            Timeouts one = all[t] = new Timeouts();
            new Thread(() -> one.run(times), "waits " + t).start();
        }
        for (int i = 0; i < times; i++)
            for (Timeouts one : all)
                while (!one.notifyIfItWaits())
                    Thread.sleep(1);
    }
}
