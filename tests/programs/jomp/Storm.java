import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import jomp.runtime.BusyTask;
import jomp.runtime.LoopData;
import jomp.runtime.OMP;

/** So many instances of one construct, with next to nothing in them. usage: Storm WHAT COUNT */
public class Storm {
    static int n;
    static long sum;

    static void loop(int me, boolean barrier) throws Throwable {
        LoopData whole = new LoopData(), chunk = new LoopData();
        whole.start = 0;
        whole.stop = 4;
        whole.step = 1;
        OMP.setChunkStatic(whole);
        while (!chunk.isLast && OMP.getLoopStatic(me, whole, chunk))
            for (long i = chunk.start; i < chunk.stop; i += chunk.step)
                sum += i;
        if (barrier)
            OMP.doBarrier(me);
    }

    static void dynamic(int me) throws Throwable {
        LoopData whole = new LoopData(), chunk = new LoopData();
        whole.start = 0;
        whole.stop = 4;
        whole.step = 1;
        whole.chunkSize = 1;
        OMP.initTicket(me, whole);
        while (!chunk.isLast && OMP.getLoopDynamic(me, whole, chunk))
            for (long i = chunk.start; i < chunk.stop; i += chunk.step)
                sum += i;
        OMP.resetTicket(me);
        OMP.doBarrier(me);
    }

    static void single(int me) throws Throwable {
        if (OMP.getTicket(me) == 0) {
            sum++;
        }
        OMP.resetTicket(me);
        OMP.doBarrier(me);
    }

    static void sections(int me) throws Throwable {
        sections:
        for (;;) {
            switch ((int) OMP.getTicket(me)) {
            case 0:
                sum += 1;
                break;
            case 1:
                sum += 10;
                break;
            default:
                break sections;
            }
        }
        OMP.resetTicket(me);
        OMP.doBarrier(me);
    }

    /** One section in another one; out of every seventh an exception leads. */
    static int critical(int i) throws Throwable {
        try {
            synchronized (OMP.getLockByName("outer")) {
                sum++;
                if (i % 7 == 0)
                    throw new IllegalStateException();
                synchronized (OMP.getLockByName("inner")) {
                    if (i % 2 == 0)
                        return 1;
                }
            }
        } catch (IllegalStateException meant) {
            return 2;
        }
        return 3;
    }

    static void recursion(int depth) throws Throwable {
        synchronized (OMP.getLockByName("again")) {
            if (depth > 0)
                recursion(depth - 1);
        }
    }

    /** Not as JOMP's compiler makes them: a name that is no constant, and a lock that is kept. */
    static void other(int i) throws Throwable {
        synchronized (OMP.getLockByName("number " + i % 2)) {
            sum++;
        }
        Object lock = OMP.getLockByName("kept");
        synchronized (lock) {
            sum++;
        }
    }

    static volatile Thread second;
    static volatile int round;

    /** getLockByName has a monitor of its own, at which the thread may still be blocked. */
    static boolean waitsForSection(Thread thread) {
        if (thread == null || thread.getState() != Thread.State.BLOCKED)
            return false;
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
        return info != null && info.getLockName() != null && info.getLockName().startsWith("jomp.runtime.NestLock@");
    }

    /** Each tenth time the second thread waits until it is blocked, and before that, until the first one has it. */
    static void contended(int me, int i) throws Throwable {
        boolean waits = i % 10 == 0;
        while (waits && me == 1 && round <= i)
            Thread.yield();
        if (me == 1)
            second = Thread.currentThread();
        synchronized (OMP.getLockByName("contended")) {
            sum++;
            if (waits && me == 0) {
                round = i + 1;
                while (!waitsForSection(second))
                    Thread.yield();
            }
        }
        if (me == 0)
            while (waits && round == i + 1)
                Thread.yield();
        else if (waits)
            round = i + 2;
    }

    static class Many extends BusyTask {
        final String what;

        Many(String what) {
            this.what = what;
        }

        public void go(int me) throws Throwable {
            for (int i = 0; i < n; i++)
                switch (what) {
                case "loops":
                    loop(me, true);
                    break;
                case "nowaits":
                    loop(me, false);
                    break;
                case "dynamics":
                    dynamic(me);
                    break;
                case "singles":
                    single(me);
                    break;
                case "sections":
                    sections(me);
                    break;
                case "criticals":
                    critical(i);
                    break;
                case "recursions":
                    recursion(2);
                    break;
                case "others":
                    other(i);
                    break;
                case "contended":
                    contended(me, i);
                    break;
                default:
                    throw new IllegalArgumentException(what);
                }
        }
    }

    static class Mixed extends BusyTask {
        public void go(int me) throws Throwable {
            loop(me, true);
            single(me);
            dynamic(me);
        }
    }

    /** A section in a loop. */
    static class Inside extends BusyTask {
        public void go(int me) throws Throwable {
            LoopData whole = new LoopData(), chunk = new LoopData();
            whole.start = 0;
            whole.stop = 4;
            whole.step = 1;
            OMP.setChunkStatic(whole);
            while (!chunk.isLast && OMP.getLoopStatic(me, whole, chunk))
                for (long i = chunk.start; i < chunk.stop; i += chunk.step)
                    synchronized (OMP.getLockByName("inside")) {
                        sum += i;
                    }
            OMP.doBarrier(me);
        }
    }

    static class Nested extends BusyTask {
        public void go(int me) throws Throwable {
            OMP.doParallel(new Empty());
        }
    }

    static class Empty extends BusyTask {
        public void go(int me) throws Throwable {
            sum++;
        }
    }

    static class Throwing extends BusyTask {
        public void go(int me) throws Throwable {
            throw new IllegalStateException();
        }
    }

    public static void main(String[] arguments) throws Throwable {
        n = Integer.parseInt(arguments[1]);
        switch (arguments[0]) {
        case "regions":
            for (int i = 0; i < n; i++)
                OMP.doParallel(new Empty());
            break;
        case "mixed":
            for (int i = 0; i < n; i++)
                OMP.doParallel(new Mixed());
            break;
        case "inside":
            for (int i = 0; i < n; i++)
                OMP.doParallel(new Inside());
            break;
        case "nested":
            for (int i = 0; i < n; i++)
                OMP.doParallel(new Nested());
            break;
        case "throwing":
            for (int i = 0; i < n; i++)
                try {
                    OMP.doParallel(new Throwing());
                } catch (IllegalStateException meant) {
                    sum++;
                }
            break;
        default:
            OMP.doParallel(new Many(arguments[0]));
        }
        System.out.println(arguments[0]);
    }
}
