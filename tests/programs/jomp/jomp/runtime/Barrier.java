package jomp.runtime;

/** Each thread says how far it is, and spins, then yields, until all others are as far. No monitor. */
final class Barrier {
    private static final int SPINS = 100;

    private static final class Place {
        volatile long phase;
        long p1, p2, p3, p4, p5, p6, p7; // a cache line of its own
    }

    private final Place[] places;

    Barrier(int threads) {
        places = new Place[threads];
        for (int i = 0; i < threads; i++)
            places[i] = new Place();
    }

    void await(int me) {
        long phase = places[me].phase + 1;
        places[me].phase = phase;
        for (Place other : places) {
            int spins = 0;
            while (other.phase < phase)
                if (++spins > SPINS)
                    Thread.yield();
        }
    }
}
