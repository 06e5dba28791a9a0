import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RecursiveAction;

import jomp.runtime.BusyTask;
import jomp.runtime.OMP;

/**
 * Does what lines of standard input say, so often: a parallel region, a task of an executor and one of a fork-join pool, each with
 * a thread of a name. Other threads are in methods of the same kinds all the time, some in the same call from begin to end.
 */
public class Served {
    static volatile boolean over;
    static long done;

    static class Region extends BusyTask {
        public void go(int me) throws Throwable {
            OMP.doBarrier(me);
            if (me == 0)
                done++;
        }
    }

    static class Small extends RecursiveAction {
        protected void compute() {
            synchronized (Served.class) {
                done++;
            }
        }
    }

    /** Lasts from begin to end, and has others executed in it. */
    static class Long extends RecursiveAction {
        protected void compute() {
            while (!over) {
                new Small().invoke();
                pause();
            }
        }
    }

    static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static ForkJoinPool pool(String name) {
        return new ForkJoinPool(1, of -> {
            ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(of);
            thread.setName(name);
            return thread;
        }, null, false);
    }

    static ExecutorService executor(String name) {
        return Executors.newFixedThreadPool(1, task -> new Thread(task, name));
    }

    /** One that is in a task all the time: the end of each is the begin of the next one. */
    static void again(ExecutorService executor) {
        if (over)
            executor.shutdown();
        else
            executor.execute(() -> {
                pause();
                again(executor);
            });
    }

    public static void main(String[] arguments) throws Throwable {
        ExecutorService counted = executor("counted-task");
        ForkJoinPool forks = pool("counted-fork"), others = pool("other-fork");
        others.submit(new Long());
        again(executor("other-task"));
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            for (int i = Integer.parseInt(line); i > 0; i--) {
                OMP.doParallel(new Region());
                one(counted);
                forks.submit(new Small()).get();
            }
            System.out.println("done: " + line);
        }
        over = true;
        counted.shutdown();
        System.out.println("result: right");
    }

    static void one(ExecutorService counted) throws InterruptedException, ExecutionException {
        counted.submit(() -> done).get();
    }
}
