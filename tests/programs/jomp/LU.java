import jomp.runtime.LoopData;
import jomp.runtime.OMP;

/**
 * LU factorization in place. For each k one region with two loops: the column below the diagonal is divided (nowait), then
 * the rest of the matrix is updated, each thread the rows that it has divided.
 */
public class LU {
    private static class __omp_Class0 extends jomp.runtime.BusyTask {
        double[][] a;
        int n, k;

        public void go(int __omp_me) throws Throwable {
            LoopData __omp_WholeData2 = new LoopData();
            LoopData __omp_ChunkData1 = new LoopData();
            __omp_WholeData2.start = (long) (k + 1);
            __omp_WholeData2.stop = (long) (n);
            __omp_WholeData2.step = (long) (1);
            OMP.setChunkStatic(__omp_WholeData2);
            while (!__omp_ChunkData1.isLast && OMP.getLoopStatic(__omp_me, __omp_WholeData2, __omp_ChunkData1)) {
                for (;;) {
                    if (__omp_ChunkData1.stop > __omp_WholeData2.stop)
                        __omp_ChunkData1.stop = __omp_WholeData2.stop;
                    if (__omp_ChunkData1.start >= __omp_WholeData2.stop)
                        break;
                    for (int i = (int) __omp_ChunkData1.start; i < __omp_ChunkData1.stop; i += __omp_ChunkData1.step)
                        a[i][k] /= a[k][k];
                    if (__omp_ChunkData1.startStep == 0)
                        break;
                    __omp_ChunkData1.start += __omp_ChunkData1.startStep;
                    __omp_ChunkData1.stop += __omp_ChunkData1.startStep;
                }
            }
            LoopData __omp_WholeData4 = new LoopData();
            LoopData __omp_ChunkData3 = new LoopData();
            __omp_WholeData4.start = (long) (k + 1);
            __omp_WholeData4.stop = (long) (n);
            __omp_WholeData4.step = (long) (1);
            OMP.setChunkStatic(__omp_WholeData4);
            while (!__omp_ChunkData3.isLast && OMP.getLoopStatic(__omp_me, __omp_WholeData4, __omp_ChunkData3)) {
                for (;;) {
                    if (__omp_ChunkData3.stop > __omp_WholeData4.stop)
                        __omp_ChunkData3.stop = __omp_WholeData4.stop;
                    if (__omp_ChunkData3.start >= __omp_WholeData4.stop)
                        break;
                    for (int i = (int) __omp_ChunkData3.start; i < __omp_ChunkData3.stop; i += __omp_ChunkData3.step) {
                        double factor = a[i][k];
                        for (int j = k + 1; j < n; j++)
                            a[i][j] -= factor * a[k][j];
                    }
                    if (__omp_ChunkData3.startStep == 0)
                        break;
                    __omp_ChunkData3.start += __omp_ChunkData3.startStep;
                    __omp_ChunkData3.stop += __omp_ChunkData3.startStep;
                }
            }
            OMP.doBarrier(__omp_me);
        }
    }

    static double[][] matrix(int n) {
        double[][] a = new double[n][n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] = i == j ? n + 1 : (i * 31 + j * 17) % 11 / 7.0;
        return a;
    }

    /** LU N [TIMES]: with TIMES, that often, and prints how long the fastest took. */
    public static void main(String[] arguments) throws Throwable {
        int n = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
        int times = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1;
        double[][] a = null;
        long fastest = Long.MAX_VALUE;
        for (int time = 0; time < times; time++) {
            a = matrix(n);
            long begin = System.nanoTime();
            for (int k = 0; k < n; k++) {
                __omp_Class0 task = new __omp_Class0();
                task.a = a;
                task.n = n;
                task.k = k;
                OMP.doParallel(task);
            }
            fastest = Math.min(fastest, System.nanoTime() - begin);
        }
        long hash = 0;
        for (double[] row : a)
            for (double x : row)
                hash = hash * 31 + Double.doubleToLongBits(x);
        System.out.println("LU " + n + " hash=" + Long.toHexString(hash));
        if (arguments.length > 1)
            System.out.println("ms=" + fastest / 1e6);
    }
}
