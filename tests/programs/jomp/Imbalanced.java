import jomp.runtime.LoopData;
import jomp.runtime.OMP;

/** A static loop in which thread i of n is busy (i + 1) times 10 ms, by the clock. What is lost in its barrier is known. */
public class Imbalanced {
    private static class __omp_Class0 extends jomp.runtime.BusyTask {
        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = 0;
            __omp_WholeData2.stop = OMP.getNumThreads();
            __omp_WholeData2.step = 1;
            OMP.setChunkStatic(__omp_WholeData2);
            while (!__omp_ChunkData1.isLast && OMP.getLoopStatic(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (int i = (int) __omp_ChunkData1.start; i < __omp_ChunkData1.stop; i += __omp_ChunkData1.step) {
                    long until = System.nanoTime() + (i + 1) * 10_000_000L;
                    while (System.nanoTime() < until)
                        ;
                }
            }
            OMP.doBarrier(__omp_me);
        }
    }

    public static void main(String[] arguments) throws Throwable {
        for (int i = 0; i < 5; i++)
            OMP.doParallel(new __omp_Class0());
        System.out.println("Imbalanced regions=5 threads=" + OMP.getMaxThreads());
    }
}
