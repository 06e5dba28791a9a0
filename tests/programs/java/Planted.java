import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.locks.ReentrantLock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/*
 * A program with planted reasons for lost time: `heddle why` must name each with its source line. It is to Java what
 * planted.c is to OpenMP. Each construct exists three times, at three lines; the seed decides which copy has the fault,
 * how much time it takes, in how many rounds it is executed, and in which order the constructs follow each other. All
 * other copies are sound.
 *
 * usage: Planted SEED none|REASON[,REASON]... [SECONDS]     REASON: a name in the list COPIES
 * SECONDS: repeats all rounds for so long. `collection` needs a small heap (-Xmx64m) and a collector that stops threads.
 * Prints "planted: REASON line=N" for each; 0: the reason has no line.
 */
public final class Planted {
    private static final long US = 1000, MS = 1000000; // ns
    private static final int ROUNDS_LEAST = 10, ROUNDS_MOST = 16, SOUND = 2; // ms of a sound execution
    private static final int TEAM = Math.max(2, Math.min(4, Runtime.getRuntime().availableProcessors()));
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static final int LIVE = 350000, KEPT = 40000; // objects that are there all the time, and that each thread keeps

    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final CyclicBarrier MEETING = new CyclicBarrier(TEAM), BARRIER = new CyclicBarrier(TEAM);
    private static final Phaser PHASER = new Phaser(TEAM);
    private static final LinkedBlockingQueue<Integer> QUEUE = new LinkedBlockingQueue<>();
    private static volatile double sum;
    private static Object live;
    private static Process device;

    /* Where threads wait for each other, or a thread is blocked, for `ns`. */
    interface Place {
        void go(long ns) throws Exception;
    }

    private static final class Copy {
        final String name;
        final Place place;
        final int line;
        long fault; // ns; 0: it is sound

        Copy(String name, Place place, int line) {
            this.name = name;
            this.place = place;
            this.line = line;
        }
    }

    /* A copy at the caller's line. */
    private static Copy copy(String name, Place place) {
        return new Copy(name, place, StackWalker.getInstance().walk(frames -> frames.skip(1).findFirst().get().getLineNumber()));
    }

    private static final Copy[] COPIES = {
        copy("monitor", ns -> { synchronized (MONITOR) { work(ns); } }),
        copy("lock", ns -> { LOCK.lock(); try { work(ns); } finally { LOCK.unlock(); } }),
        copy("imbalance", ns -> BARRIER.await()),
        copy("serial", ns -> BARRIER.await()),
        copy("blocked", ns -> Thread.sleep(ns / MS, (int) (ns % MS))),
        copy("io", ns -> { ask(ns); answered(device.getInputStream().read()); }),
        copy("collection", ns -> allocate(ns)),
        copy("monitor", ns -> { synchronized (MONITOR) { work(ns); } }),
        copy("lock", ns -> { LOCK.lock(); try { work(ns); } finally { LOCK.unlock(); } }),
        copy("imbalance", ns -> PHASER.arriveAndAwaitAdvance()),
        copy("serial", ns -> PHASER.arriveAndAwaitAdvance()),
        copy("blocked", ns -> { synchronized (Thread.currentThread()) { Thread.currentThread().wait(ns / MS); } }),
        copy("io", ns -> { ask(ns); answered(device.getInputStream().read()); }),
        copy("collection", ns -> allocate(ns)),
        copy("monitor", ns -> { synchronized (MONITOR) { work(ns); } }),
        copy("lock", ns -> { LOCK.lock(); try { work(ns); } finally { LOCK.unlock(); } }),
        copy("imbalance", ns -> BARRIER.await()),
        copy("serial", ns -> QUEUE.take()),
        copy("blocked", ns -> Thread.sleep(ns / MS, (int) (ns % MS))),
        copy("io", ns -> { ask(ns); answered(device.getInputStream().read()); }),
        copy("collection", ns -> allocate(ns)),
    };

    /* Works until the thread has had a processor for so long: other programs make this longer, not more. */
    private static void work(long ns) {
        double own = 0;
        for (long end = CLOCK.getCurrentThreadCpuTime() + ns; CLOCK.getCurrentThreadCpuTime() < end;)
            for (int i = 0; i < 50; i++)
                own += i;
        sum = own;
    }

    /* Another process answers after that time. */
    private static void ask(long ns) throws IOException {
        OutputStream to = device.getOutputStream();
        to.write((ns / 1e9 + "\n").getBytes());
        to.flush();
    }

    private static void answered(int answer) throws IOException {
        if (answer < 0)
            throw new IOException("the other process has ended");
    }

    /* Old objects die, so that the whole heap is collected again and again. */
    private static void allocate(long ns) {
        Object[] kept = new Object[KEPT];
        long end = System.nanoTime() + ns;
        for (int i = 0; System.nanoTime() < end; i = (i + 1) % KEPT)
            kept[i] = new Object[20];
    }

    /* Most of the work is done by one thread at a time. */
    private static void share(Place place, boolean bad, long ns) throws Exception {
        for (long left = ns / (bad ? TEAM : 1); left > 0; left -= 440 * US) {
            work(bad ? 20 * US : 436 * US);
            place.go(bad ? 420 * US : 4 * US);
        }
    }

    /* One thread has most of the work. */
    private static void unequal(Place place, int member, boolean bad, long ns) throws Exception {
        work(bad && member > 0 ? ns / 4 : ns);
        place.go(0);
    }

    /* One thread has all of it since they met: the others take what it has made, or meet it. */
    private static void alone(Place place, boolean queue, int member, boolean bad, long ns) throws Exception {
        MEETING.await();
        if (!bad || member == 0)
            work(ns);
        for (int i = 1; i < TEAM && queue && member == 0; i++)
            QUEUE.put(i);
        if (!queue || member > 0)
            place.go(0);
    }

    /* The others wait for a thread that is blocked. */
    private static void blocked(Place place, int member, boolean bad, long ns) throws Exception {
        work(bad ? ns / 4 : ns);
        if (bad && member == TEAM - 1)
            place.go(ns * 3 / 4);
        MEETING.await();
    }

    private static void execute(Copy copy, int member) throws Exception {
        boolean bad = copy.fault > 0;
        long ns = bad ? copy.fault : SOUND * MS;
        switch (copy.name) {
        case "monitor", "lock" -> share(copy.place, bad, ns);
        case "imbalance" -> unequal(copy.place, member, bad, ns);
        case "serial" -> alone(copy.place, copy == COPIES[COPIES.length - 4], member, bad, ns);
        case "blocked", "io" -> blocked(copy.place, member, bad, ns);
        default -> {
            if (bad)
                copy.place.go(ns);
            else
                work(ns);
        }
        }
    }

    /* Whether there is such a reason. */
    private static boolean plant(String reason, int reasons, long rounds, Random random) throws IOException {
        List<Copy> copies = new ArrayList<>(List.of(COPIES));
        copies.removeIf(copy -> !copy.name.equals(reason));
        if (copies.isEmpty())
            return reason.equals("none");
        Copy copy = copies.get(random.nextInt(copies.size()));
        copy.fault = (long) ((900 + random.nextInt(400)) * MS / (reasons > 1 ? 1.3 : 1) / rounds);
        if (reason.equals("io"))
            device = new ProcessBuilder("/bin/sh", "-c", "while read t; do sleep $t; echo; done").start();
        if (reason.equals("collection"))
            live = chain(LIVE);
        System.out.println("planted: " + reason + " line=" + (reason.equals("collection") ? 0 : copy.line));
        return true;
    }

    private static Object chain(int length) {
        Object[] last = null;
        for (int i = 0; i < length; i++)
            last = new Object[] {last, null, null, null, null, null};
        return last;
    }

    /* All of the team agree on the last round: the first member says so. */
    private static volatile boolean over;

    private static void play(int member, List<Copy> order, long rounds, long seconds) throws Exception {
        long end = System.nanoTime() + seconds * 1000 * MS;
        for (long i = 0; !over; i++) {
            for (Copy copy : order)
                execute(copy, member);
            if (member == 0)
                over = i + 1 >= rounds && System.nanoTime() >= end;
            MEETING.await();
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2 && arguments.length != 3) {
            System.err.println("usage: Planted SEED none|REASON[,REASON]... [SECONDS]");
            System.exit(2);
        }
        Random random = new Random(Long.parseUnsignedLong(arguments[0]) * 0x9e3779b97f4a7c15L);
        long rounds = ROUNDS_LEAST + random.nextInt(ROUNDS_MOST - ROUNDS_LEAST + 1);
        List<Copy> order = new ArrayList<>(List.of(COPIES));
        Collections.shuffle(order, random);
        String[] reasons = arguments[1].split(",");
        for (String reason : reasons)
            if (!plant(reason, reasons.length, rounds, random)) {
                System.err.println("Planted: there is no reason '" + reason + "'");
                System.exit(2);
            }
        System.out.flush();
        long seconds = arguments.length == 3 ? Long.parseLong(arguments[2]) : 0;
        List<Thread> team = new ArrayList<>();
        for (int i = 0; i < TEAM; i++) {
            int member = i;
            team.add(new Thread(() -> {
                try {
                    play(member, order, rounds, seconds);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "member " + i));
        }
        for (Thread thread : team)
            thread.start();
        for (Thread thread : team)
            thread.join();
        if (device != null)
            device.destroy();
    }
}
