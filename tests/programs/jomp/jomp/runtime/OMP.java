package jomp.runtime;

import java.util.HashMap;
import java.util.Map;

/**
 * A stand-in for the runtime of JOMP 1.0b (OpenMP for Java, EPCC): the same classes, methods and signatures, for programs in
 * the shape that its compiler generates. -Djomp.threads=N is the size of teams, -Djomp.schedule=KIND[,CHUNK] that of
 * schedule(runtime). Nested regions are executed by the thread that meets them.
 */
public class OMP {
    static volatile BusyTask task;
    static volatile Throwable thrown;
    private static int threads = Integer.getInteger("jomp.threads", 1);
    private static boolean started;
    private static volatile boolean parallel;
    private static Barrier global, team;
    private static Ticketer ticketer;
    private static long[] longs;
    private static double[] doubles;
    private static long orderer;
    private static final Object ordererLock = new Object();
    private static final Map<String, NestLock> locks = new HashMap<>();

    private static void start() {
        started = true;
        global = new Barrier(threads);
        team = new Barrier(threads);
        ticketer = new Ticketer(threads);
        longs = new long[threads];
        doubles = new double[threads];
        Thread.currentThread().setName("0");
        for (int i = 1; i < threads; i++)
            new BusyThread(i).start();
    }

    public static void doParallel(BusyTask body) throws Throwable {
        if (parallel) {
            body.go(0);
            return;
        }
        if (!started)
            start();
        thrown = null;
        task = body;
        parallel = true;
        doGlobalBarrier(0);
        Throwable own = null;
        try {
            body.go(0);
        } catch (Throwable t) {
            own = t;
        }
        doGlobalBarrier(0);
        parallel = false;
        if (own == null)
            own = thrown;
        if (own != null)
            throw own;
    }

    public static void doGlobalBarrier(int me) {
        global.await(me);
    }

    public static void doBarrier(int me) {
        team.await(me);
    }

    public static void doBarrier() {
        doBarrier(getThreadNum());
    }

    // Numbers of threads.
    public static int getThreadNum() {
        return parallel ? Integer.parseInt(Thread.currentThread().getName()) : 0;
    }

    public static int getThreadNum(int me) {
        return me;
    }

    public static int getNumThreads() {
        return parallel ? threads : 1;
    }

    public static int getMaxThreads() {
        return threads;
    }

    public static void setNumThreads(int n) {
        if (!started)
            threads = n;
    }

    public static boolean inParallel() {
        return parallel;
    }

    // Loops.
    static long iterations(long start, long stop, long step) {
        long distance = step > 0 ? stop - start : start - stop, by = Math.abs(step);
        return distance <= 0 ? 0 : (distance + by - 1) / by;
    }

    public static void setChunkStatic(LoopData whole) {
        whole.chunkSize = (iterations(whole.start, whole.stop, whole.step) + threads - 1) / threads;
    }

    public static boolean getLoopStatic(int me, LoopData whole, LoopData chunk) {
        long n = iterations(whole.start, whole.stop, whole.step);
        chunk.start = whole.start + me * whole.chunkSize * whole.step;
        chunk.stop = chunk.start + whole.chunkSize * whole.step;
        chunk.step = whole.step;
        chunk.startStep = n > whole.chunkSize * threads ? whole.chunkSize * threads * whole.step : 0;
        chunk.isLast = true;
        return me * whole.chunkSize < n;
    }

    public static void initTicket(int me, LoopData whole) {
        ticketer.init(me, whole.start);
    }

    public static void resetTicket(int me) {
        ticketer.reset(me);
    }

    public static long getTicket(int me) {
        return ticketer.ticket(me);
    }

    public static boolean getLoopDynamic(int me, LoopData whole, LoopData chunk) {
        return ticketer.take(me, whole, chunk, whole.chunkSize, 0);
    }

    public static boolean getLoopGuided(int me, LoopData whole, LoopData chunk) {
        return ticketer.take(me, whole, chunk, whole.chunkSize, 2 * threads);
    }

    public static void setChunkRuntime(LoopData whole) {
        String[] schedule = System.getProperty("jomp.schedule", "dynamic").split(",");
        whole.chunkSize = schedule.length > 1 ? Long.parseLong(schedule[1]) : 1;
    }

    public static boolean getLoopRuntime(int me, LoopData whole, LoopData chunk) {
        return getLoopDynamic(me, whole, chunk);
    }

    // Ordered: `i` is the iteration to begin; in stopOrdered the one that comes next.
    public static void resetOrderer(int me, long first) {
        doBarrier(me);
        if (me == 0)
            orderer = first;
        doBarrier(me);
    }

    public static void startOrdered(int me, long i) {
        synchronized (ordererLock) {
            try {
                while (orderer != i)
                    ordererLock.wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void stopOrdered(int me, long next) {
        synchronized (ordererLock) {
            orderer = next;
            ordererLock.notifyAll();
        }
    }

    public static synchronized NestLock getLockByName(String name) {
        NestLock lock = locks.get(name);
        if (lock == null)
            locks.put(name, lock = new NestLock());
        return lock;
    }

    // Reductions.
    public static long doPlusReduce(int me, long value) {
        longs[me] = value;
        doBarrier(me);
        long sum = 0;
        for (long x : longs)
            sum += x;
        doBarrier(me);
        return sum;
    }

    public static double doPlusReduce(int me, double value) {
        doubles[me] = value;
        doBarrier(me);
        double sum = 0;
        for (double x : doubles)
            sum += x;
        doBarrier(me);
        return sum;
    }

    public static boolean doAndReduce(int me, boolean value) {
        return doPlusReduce(me, value ? 0L : 1L) == 0;
    }
}
