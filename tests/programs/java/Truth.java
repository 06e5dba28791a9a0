import java.util.ArrayList;
import java.util.List;

/*
 * What a thread of a test program did, as it saw it itself: one entry a wait, with the region that docs/otf2.md gives it,
 * the line where it was, and how long it took. Each thread keeps its own; all are printed when they have ended.
 */
final class Truth {
    static final class Op {
        final String region;
        final int line;
        final long begin, end;

        Op(String region, int line, long begin, long end) {
            this.region = region;
            this.line = line;
            this.begin = begin;
            this.end = end;
        }
    }

    interface Body {
        void run(Truth truth) throws Exception;
    }

    private final List<Op> ops = new ArrayList<>();
    final Thread thread;
    private volatile int done;
    private static final List<Truth> all = new ArrayList<>();
    private long begin;

    /* A thread that does what `body` does. */
    Truth(String name, Body body) {
        thread = new Thread(() -> {
            try {
                body.run(this);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        all.add(this);
    }

    Truth start() {
        thread.start();
        return this;
    }

    void begin() {
        begin = System.nanoTime();
    }

    /* On the line of the wait itself. */
    void end(String region) {
        long end = System.nanoTime();
        ops.add(new Op(region, new Throwable().getStackTrace()[1].getLineNumber(), begin, end));
        done = ops.size();
    }

    /* Waits until the thread has done so much and waits again; a little later it is let go. */
    void release(int after, Thread.State state, Runnable let) throws InterruptedException {
        while (done < after)
            Thread.sleep(1);
        until(thread, state);
        Thread.sleep(3);
        let.run();
    }

    static void until(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state)
            Thread.sleep(1);
    }

    static void print() throws InterruptedException {
        for (Truth truth : all)
            truth.thread.join();
        for (Truth truth : all)
            for (Op op : truth.ops)
                System.out.println("did: " + truth.thread.getName() + "|" + op.region + "|" + op.line + "|" + (op.end - op.begin));
    }
}
