package jomp.runtime;

/** A thread of the team, but for the master. Its name is its number. */
public class BusyThread extends Thread {
    private final int me;

    BusyThread(int me) {
        super(Integer.toString(me));
        this.me = me;
        setDaemon(true);
    }

    @Override
    public void run() {
        for (;;) {
            OMP.doGlobalBarrier(me); // until there is a region
            try {
                OMP.task.go(me);
            } catch (Throwable thrown) {
                OMP.thrown = thrown;
            }
            OMP.doGlobalBarrier(me);
        }
    }
}
