import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;
import jomp.runtime.BusyTask;
import jomp.runtime.LoopData;
import jomp.runtime.OMP;

/**
 * Storms of JOMP's constructs and of synchronized blocks, as storms.c has them of OpenMP's; so are the arguments and the line
 * that it prints. `critical`, `for` and `parallel` are JOMP's, in the shape that its compiler generates.
 *
 * usage: Storms STORM COUNT [REGION]
 */
public class Storms {
    /** What a thread counts, apart from what others count. */
    static class Own {
        long done, sink, a, b, c, d, e, f, g, h, i, j, k, l;
    }

    static Own[] own;
    static final Object shared = new Object();
    static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    static final AtomicLong ended = new AtomicLong(); // processor time of threads that ended

    static void work(Own me) {
        long x = me.sink;
        for (int i = 0; i < 10; i++)
            x = x * 6364136223846793005L + 1442695040888963407L;
        me.sink = x;
    }

    static long share(long n, int thread) {
        return n * (thread + 1) / own.length - n * thread / own.length;
    }

    static class Critical extends BusyTask {
        final long n;

        Critical(long n) {
            this.n = n;
        }

        public void go(int me) throws Throwable {
            for (long i = share(n, me); i > 0; i--) {
                synchronized (OMP.getLockByName("storm")) {
                    own[me].done++;
                }
                work(own[me]);
            }
        }
    }

    /** n loops; thread 0 counts them. */
    static class For extends BusyTask {
        final long n;

        For(long n) {
            this.n = n;
        }

        public void go(int me) throws Throwable {
            for (long i = 0; i < n; i++) {
                LoopData whole = new LoopData(), chunk = new LoopData();
                whole.start = 0;
                whole.stop = own.length;
                whole.step = 1;
                OMP.setChunkStatic(whole);
                while (!chunk.isLast && OMP.getLoopStatic(me, whole, chunk))
                    for (long k = chunk.start; k < chunk.stop; k += chunk.step)
                        work(own[me]);
                OMP.doBarrier(me);
                if (me == 0)
                    own[me].done++;
            }
        }
    }

    static class Empty extends BusyTask {
        public void go(int me) throws Throwable {
        }
    }

    /** Blocks that are synchronized with an object of the thread's own, or with one for all. */
    static void synchronize(long n, boolean contended) throws Throwable {
        Thread[] threads = new Thread[own.length];
        for (int t = 0; t < threads.length; t++) {
            int me = t;
            threads[t] = new Thread(() -> {
                Object lock = contended ? shared : own[me];
                for (long i = share(n, me); i > 0; i--) {
                    synchronized (lock) {
                        own[me].done++;
                    }
                    work(own[me]);
                }
                ended.addAndGet(clock.getCurrentThreadCpuTime());
            });
            threads[t].start();
        }
        for (Thread thread : threads)
            thread.join();
    }

    static void region(String storm, long n) throws Throwable {
        switch (storm) {
        case "critical":
            OMP.doParallel(new Critical(n));
            break;
        case "for":
            OMP.doParallel(new For(n));
            break;
        case "parallel":
            for (long i = 0; i < n; i++)
                OMP.doParallel(new Empty());
            own[0].done += n;
            break;
        case "synchronized":
            synchronize(n, false);
            break;
        case "contended":
            synchronize(n, true);
            break;
        default:
            throw new IllegalArgumentException(storm);
        }
    }

    static void storm(String storm, long count, long region) throws Throwable {
        own = new Own[OMP.getMaxThreads()];
        for (int i = 0; i < own.length; i++)
            own[i] = new Own();
        long n;
        for (long left = count; left > 0; left -= n) {
            n = region > 0 && region < left ? region : left;
            region(storm, n);
        }
    }

    /** Processor time of the program's own threads, ns: the JVM's compilers and collectors would only blur it. */
    static long cpu() {
        long sum = ended.get();
        for (long thread : clock.getAllThreadIds())
            sum += Math.max(0, clock.getThreadCpuTime(thread));
        return sum;
    }

    public static void main(String[] arguments) throws Throwable {
        String storm = arguments[0];
        long count = Long.parseLong(arguments[1]), region = arguments.length > 2 ? Long.parseLong(arguments[2]) : 0;
        long before = Math.min(count, 20000), times = 5; // compiled before it is measured
        for (int i = 0; i < times; i++)
            storm(storm, before, 0);
        long wall = System.nanoTime(), used = cpu();
        storm(storm, count, region);
        used = cpu() - used;
        wall = System.nanoTime() - wall;
        long done = 0;
        for (Own of : own)
            done += of.done;
        System.out.println(done + " " + used + " " + wall + " " + (done + times * before));
        if (done != count)
            System.exit(1);
    }
}
