/*
 * LU factorization in place by Java threads: ThreadLU N THREADS [TIMES]. For each k a barrier of wait() and notifyAll()
 * stands where a parallel region would end. The matrix and the hash are those of tests/programs/jomp/LU.java.
 */
public final class ThreadLU {
    private final double[][] a;
    private final int n, threads;
    private int arrived, generation;

    private ThreadLU(double[][] a, int threads) {
        this.a = a;
        this.n = a.length;
        this.threads = threads;
    }

    private synchronized void barrier() throws InterruptedException {
        int mine = generation;
        if (++arrived == threads) {
            arrived = 0;
            generation++;
            notifyAll();
        }
        while (generation == mine)
            wait();
    }

    private void work(int me) {
        try {
            for (int k = 0; k < n; k++) {
                for (int i = k + 1 + me; i < n; i += threads) {
                    double factor = a[i][k] /= a[k][k];
                    for (int j = k + 1; j < n; j++)
                        a[i][j] -= factor * a[k][j];
                }
                barrier();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void factorize() throws InterruptedException {
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            int me = t;
            all[t] = new Thread(() -> work(me), "LU " + t);
            all[t].start();
        }
        for (Thread thread : all)
            thread.join();
    }

    private static double[][] matrix(int n) {
        double[][] a = new double[n][n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] = i == j ? n + 1 : (i * 31 + j * 17) % 11 / 7.0;
        return a;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int n = Integer.parseInt(arguments[0]), threads = Integer.parseInt(arguments[1]);
        int times = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
        double[][] a = null;
        long fastest = Long.MAX_VALUE;
        for (int time = 0; time < times; time++) {
            a = matrix(n);
            long begin = System.nanoTime();
            new ThreadLU(a, threads).factorize();
            fastest = Math.min(fastest, System.nanoTime() - begin);
        }
        long hash = 0;
        for (double[] row : a)
            for (double x : row)
                hash = hash * 31 + Double.doubleToLongBits(x);
        System.out.println("LU " + n + " hash=" + Long.toHexString(hash));
        if (arguments.length > 2)
            System.out.println("ms=" + fastest / 1e6);
    }
}
