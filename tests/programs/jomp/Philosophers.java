import jomp.runtime.OMP;

/** Dining philosophers: a thread is a philosopher, forks change hands in a critical construct. Nobody starves. */
public class Philosophers {
    private static class __omp_Class0 extends jomp.runtime.BusyTask {
        boolean[] fork;
        int meals;
        int[] eaten;

        public void go(int __omp_me) throws Throwable {
            int n = fork.length, left = __omp_me, right = (__omp_me + 1) % n;
            while (eaten[__omp_me] < meals) {
                boolean mine = false;
                synchronized (OMP.getLockByName("forks")) {
                    if (!fork[left] && !fork[right])
                        fork[left] = fork[right] = mine = true;
                }
                if (!mine) {
                    Thread.yield();
                    continue;
                }
                eaten[__omp_me]++;
                synchronized (OMP.getLockByName("forks")) {
                    fork[left] = fork[right] = false;
                }
            }
        }
    }

    public static void main(String[] arguments) throws Throwable {
        int meals = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100;
        __omp_Class0 task = new __omp_Class0();
        // At least two forks: a single philosopher could not eat.
        task.fork = new boolean[Math.max(2, OMP.getMaxThreads())];
        task.eaten = new int[OMP.getMaxThreads()];
        task.meals = meals;
        OMP.doParallel(task);
        System.out.println("Philosophers eaten=" + java.util.Arrays.toString(task.eaten));
    }
}
