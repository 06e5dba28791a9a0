import jomp.runtime.BusyTask;
import jomp.runtime.LoopData;
import jomp.runtime.OMP;

/**
 * The overhead of JOMP's constructs as the EPCC microbenchmarks measure it: the time of a construct around a delay, executed
 * again and again, less that of the delay alone. Prints lines `construct,ns`: the median of the rounds.
 *
 * usage: Epcc [ROUNDS [REPETITIONS]]
 */
public class Epcc {
    static final int DELAY = 20;
    static int repetitions;
    static volatile double sink;

    static void delay() {
        double a = 0;
        for (int i = 0; i < DELAY; i++)
            a += i;
        if (a < 0)
            sink = a;
    }

    /** The compiler's loop over as many iterations as there are threads. */
    static void loop(int me) {
        LoopData whole = new LoopData(), chunk = new LoopData();
        whole.start = 0;
        whole.stop = OMP.getMaxThreads();
        whole.step = 1;
        OMP.setChunkStatic(whole);
        while (!chunk.isLast && OMP.getLoopStatic(me, whole, chunk))
            for (long i = chunk.start; i < chunk.stop; i += chunk.step)
                delay();
        OMP.doBarrier(me);
    }

    static class Delay extends BusyTask {
        public void go(int me) throws Throwable {
            delay();
        }
    }

    static class LoopOnce extends BusyTask {
        public void go(int me) throws Throwable {
            loop(me);
        }
    }

    static class Loops extends BusyTask {
        public void go(int me) throws Throwable {
            for (int i = 0; i < repetitions; i++)
                loop(me);
        }
    }

    static class Barriers extends BusyTask {
        public void go(int me) throws Throwable {
            for (int i = 0; i < repetitions; i++) {
                delay();
                OMP.doBarrier(me);
            }
        }
    }

    static class Singles extends BusyTask {
        public void go(int me) throws Throwable {
            for (int i = 0; i < repetitions; i++) {
                if (OMP.getTicket(me) == 0)
                    delay();
                OMP.resetTicket(me);
                OMP.doBarrier(me);
            }
        }
    }

    static class Criticals extends BusyTask {
        public void go(int me) throws Throwable {
            for (int i = 0; i < repetitions / OMP.getMaxThreads(); i++)
                synchronized (OMP.getLockByName("epcc")) {
                    delay();
                }
        }
    }

    static void regions(BusyTask body) throws Throwable {
        for (int i = 0; i < repetitions; i++)
            OMP.doParallel(body);
    }

    static double measure(int construct) throws Throwable {
        long begin = System.nanoTime();
        switch (construct) {
        case 0:
            for (int i = 0; i < repetitions; i++)
                delay();
            break;
        case 1:
            regions(new Delay());
            break;
        case 2:
            OMP.doParallel(new Loops());
            break;
        case 3:
            regions(new LoopOnce());
            break;
        case 4:
            OMP.doParallel(new Barriers());
            break;
        case 5:
            OMP.doParallel(new Singles());
            break;
        default:
            OMP.doParallel(new Criticals());
        }
        return (System.nanoTime() - begin) / (double) repetitions;
    }

    public static void main(String[] arguments) throws Throwable {
        String[] names = {"delay", "parallel", "for", "parallel for", "barrier", "single", "critical"};
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 9;
        repetitions = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20000;
        double[][] times = new double[names.length][rounds];
        for (int warm = 0; warm < 5; warm++)
            for (int c = 0; c < names.length; c++)
                measure(c);
        for (int round = 0; round < rounds; round++)
            for (int c = 0; c < names.length; c++)
                times[c][round] = measure(c);
        for (double[] of : times)
            java.util.Arrays.sort(of);
        for (int c = 1; c < names.length; c++)
            System.out.println(names[c] + "," + (times[c][rounds / 2] - times[0][rounds / 2]));
    }
}
