package jomp.runtime;

/**
 * Tickets of sections, single and loops. A thread may be some constructs ahead of another one (nowait): each construct has
 * a slot of its own for as long as anybody can be in it.
 */
final class Ticketer {
    private static final int SLOTS = 64;
    private final long[] generation = new long[SLOTS], next = new long[SLOTS];
    private final long[] construct; // that a thread is in, counted from 1

    Ticketer(int threads) {
        construct = new long[threads];
        java.util.Arrays.fill(construct, 1);
    }

    private int slot(int me, long first) {
        int slot = (int) (construct[me] % SLOTS);
        if (generation[slot] < construct[me]) {
            generation[slot] = construct[me];
            next[slot] = first;
        }
        return slot;
    }

    synchronized void init(int me, long first) {
        slot(me, first);
    }

    synchronized void reset(int me) {
        construct[me]++;
    }

    synchronized long ticket(int me) {
        return next[slot(me, 0)]++;
    }

    /** The next iterations of a loop, `size` of them, or as many as are left divided by -size if that is negative. */
    synchronized boolean take(int me, LoopData whole, LoopData chunk, long size, int shares) {
        int slot = slot(me, whole.start);
        long left = OMP.iterations(next[slot], whole.stop, whole.step);
        if (left == 0)
            return false;
        long n = Math.min(left, shares > 0 ? Math.max(size, left / shares) : size);
        chunk.start = next[slot];
        next[slot] += n * whole.step;
        chunk.stop = n == left ? whole.stop : next[slot];
        chunk.step = whole.step;
        chunk.startStep = 0;
        chunk.isLast = n == left;
        return true;
    }
}
