import java.util.concurrent.atomic.AtomicLong;
import jomp.runtime.LoopData;
import jomp.runtime.OMP;

/**
 * Each construct once, in the shape that the JOMP compiler generates. The argument names one; the program checks what it
 * did, and prints it.
 */
public class Constructs {
    static final AtomicLong sum = new AtomicLong();

    static class Parallel extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            sum.addAndGet(__omp_me + 1);
        }
    }

    static class Barrier extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            sum.incrementAndGet();
            OMP.doBarrier(__omp_me);
            sum.incrementAndGet();
            OMP.doBarrier();
        }
    }

    /** A loop over [start, stop): of one of the schedules, with or without nowait. */
    static class LoopStatic extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = 5;
            __omp_WholeData2.stop = 105;
            __omp_WholeData2.step = 1;
            OMP.setChunkStatic(__omp_WholeData2);
            while (!__omp_ChunkData1.isLast && OMP.getLoopStatic(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (;;) {
                    if (__omp_ChunkData1.stop > __omp_WholeData2.stop)
                        __omp_ChunkData1.stop = __omp_WholeData2.stop;
                    if (__omp_ChunkData1.start >= __omp_WholeData2.stop)
                        break;
                    for (int i = (int) __omp_ChunkData1.start; i < __omp_ChunkData1.stop; i += __omp_ChunkData1.step)
                        sum.addAndGet(i);
                    if (__omp_ChunkData1.startStep == 0)
                        break;
                    __omp_ChunkData1.start += __omp_ChunkData1.startStep;
                    __omp_ChunkData1.stop += __omp_ChunkData1.startStep;
                }
            }
            OMP.doBarrier(__omp_me);
        }
    }

    /** As LoopStatic; the class does not look at the loop's data itself. */
    static class LoopHelped extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = Helper.whole(5, 105, 1);
            LoopData __omp_ChunkData1 = new LoopData();
            OMP.setChunkStatic(__omp_WholeData2);
            while (!Helper.isLast(__omp_ChunkData1) && OMP.getLoopStatic(__omp_me, __omp_WholeData2, __omp_ChunkData1))
                sum.addAndGet(Helper.sum(__omp_WholeData2, __omp_ChunkData1));
            OMP.doBarrier(__omp_me);
        }
    }

    static class LoopStaticChunk extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = 5;
            __omp_WholeData2.stop = 105;
            __omp_WholeData2.step = 1;
            __omp_WholeData2.chunkSize = 10;
            while (!__omp_ChunkData1.isLast && OMP.getLoopStatic(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (;;) {
                    if (__omp_ChunkData1.stop > __omp_WholeData2.stop)
                        __omp_ChunkData1.stop = __omp_WholeData2.stop;
                    if (__omp_ChunkData1.start >= __omp_WholeData2.stop)
                        break;
                    for (int i = (int) __omp_ChunkData1.start; i < __omp_ChunkData1.stop; i += __omp_ChunkData1.step)
                        sum.addAndGet(i);
                    if (__omp_ChunkData1.startStep == 0)
                        break;
                    __omp_ChunkData1.start += __omp_ChunkData1.startStep;
                    __omp_ChunkData1.stop += __omp_ChunkData1.startStep;
                }
            }
            OMP.doBarrier(__omp_me);
        }
    }

    /** Counts down. */
    static class LoopDynamic extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = 20;
            __omp_WholeData2.stop = 0;
            __omp_WholeData2.step = -2;
            __omp_WholeData2.chunkSize = 3;
            OMP.initTicket(__omp_me, __omp_WholeData2);
            while (!__omp_ChunkData1.isLast && OMP.getLoopDynamic(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (int i = (int) __omp_ChunkData1.start; i > __omp_ChunkData1.stop; i += __omp_ChunkData1.step)
                    sum.addAndGet(i);
            }
            OMP.resetTicket(__omp_me);
            OMP.doBarrier(__omp_me);
        }
    }

    static class LoopGuided extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = 0;
            __omp_WholeData2.stop = 100;
            __omp_WholeData2.step = 1;
            __omp_WholeData2.chunkSize = 1;
            OMP.initTicket(__omp_me, __omp_WholeData2);
            while (!__omp_ChunkData1.isLast && OMP.getLoopGuided(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (int i = (int) __omp_ChunkData1.start; i < __omp_ChunkData1.stop; i += __omp_ChunkData1.step)
                    sum.addAndGet(i);
            }
            OMP.resetTicket(__omp_me);
            OMP.doBarrier(__omp_me);
        }
    }

    static class LoopRuntime extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = 0;
            __omp_WholeData2.stop = 10;
            __omp_WholeData2.step = 1;
            OMP.setChunkRuntime(__omp_WholeData2);
            OMP.initTicket(__omp_me, __omp_WholeData2);
            while (!__omp_ChunkData1.isLast && OMP.getLoopRuntime(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (int i = (int) __omp_ChunkData1.start; i < __omp_ChunkData1.stop; i += __omp_ChunkData1.step)
                    sum.addAndGet(i);
            }
            OMP.resetTicket(__omp_me);
            OMP.doBarrier(__omp_me);
        }
    }

    static class LoopOrdered extends jomp.runtime.BusyTask {
        long last = -1;

        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = 0;
            __omp_WholeData2.stop = 4;
            __omp_WholeData2.step = 1;
            OMP.setChunkStatic(__omp_WholeData2);
            OMP.resetOrderer(__omp_me, __omp_WholeData2.start);
            while (!__omp_ChunkData1.isLast && OMP.getLoopStatic(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (int i = (int) __omp_ChunkData1.start; i < __omp_ChunkData1.stop; i += __omp_ChunkData1.step) {
                    OMP.startOrdered(__omp_me, i);
                    sum.addAndGet(last + 1 == i ? 1 : 1000);
                    last = i;
                    OMP.stopOrdered(__omp_me, i + 1);
                }
            }
            OMP.doBarrier(__omp_me);
        }
    }

    static class Sections extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            __omp_sections:
            for (;;) {
                switch ((int) OMP.getTicket(__omp_me)) {
                case 0:
                    sum.addAndGet(1);
                    break;
                case 1:
                    sum.addAndGet(10);
                    break;
                case 2:
                    sum.addAndGet(100);
                    break;
                default:
                    break __omp_sections;
                }
            }
            OMP.resetTicket(__omp_me);
            OMP.doBarrier(__omp_me);
        }
    }

    static class Single extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            if (OMP.getTicket(__omp_me) == 0) {
                sum.addAndGet(7);
            }
            OMP.resetTicket(__omp_me);
            OMP.doBarrier(__omp_me);
        }
    }

    static class Critical extends jomp.runtime.BusyTask {
        long shared;

        public void go(int __omp_me) throws Throwable {
            for (int i = 0; i < 3; i++)
                synchronized (OMP.getLockByName("counter")) {
                    shared++;
                }
            synchronized (OMP.getLockByName("")) {
                synchronized (OMP.getLockByName("counter")) {
                    shared++;
                }
            }
            OMP.doBarrier(__omp_me);
            sum.set(shared);
        }
    }

    /** The second thread asks for the critical section while the first one has it. */
    static class NamedCritical extends jomp.runtime.BusyTask {
        volatile Thread second;
        volatile boolean had;

        public void go(int __omp_me) throws Throwable {
            if (__omp_me == 0)
                synchronized (OMP.getLockByName("table \u00e4")) {
                    had = true;
                    while (second == null || second.getState() != Thread.State.BLOCKED)
                        Thread.yield();
                }
            if (__omp_me == 1) {
                while (!had)
                    Thread.yield();
                second = Thread.currentThread();
                synchronized (OMP.getLockByName("table \u00e4")) {
                    sum.incrementAndGet();
                }
            }
            OMP.doBarrier(__omp_me);
        }
    }

    static class Reduction extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            double x = OMP.doPlusReduce(__omp_me, 0.5 * (__omp_me + 1));
            boolean all = OMP.doAndReduce(__omp_me, true);
            if (OMP.getThreadNum(__omp_me) == 0)
                sum.set(all ? (long) (2 * x) : -1);
        }
    }

    static class Nested extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            OMP.doParallel(new Parallel());
            OMP.doBarrier(__omp_me);
        }
    }

    static class Throwing extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            sum.incrementAndGet();
            if (__omp_me == OMP.getNumThreads() - 1)
                throw new IllegalStateException("thrown in go");
        }
    }

    /** The last thread ends the program while the others wait for it. */
    static class Exiting extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            OMP.doBarrier(__omp_me);
            if (__omp_me == OMP.getNumThreads() - 1)
                System.exit(7);
            OMP.doBarrier(__omp_me);
        }
    }

    public static void main(String[] arguments) throws Throwable {
        String name = arguments[0];
        try {
            OMP.doParallel((jomp.runtime.BusyTask) Class.forName("Constructs$" + name).getDeclaredConstructor().newInstance());
        } catch (IllegalStateException thrown) {
            System.out.println(thrown.getMessage());
        }
        System.out.println(name + " sum=" + sum + " threads=" + OMP.getMaxThreads());
    }
}
