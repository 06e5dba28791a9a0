import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that use processor time in known methods, and say how much: "truth: METHOD=ns of processor time".
 * Samples shares MS THREADS: one, two, three and four take 1, 2, 3 and 4 parts of MS milliseconds of each thread.
 * Samples deep MS DEPTH: works below DEPTH calls of `down`, and then in `flat`.
 * Samples recursion MS: `odd` and `even` call each other, 20 deep.
 * Samples virtual MS: virtual threads work in `one`.
 * Samples garbage MS: `allocate` makes garbage, on two threads.
 * Samples churn MS: many short threads work in `one`.
 * Samples signals N: works in `one` until SIGPROF has come N times, and says so each time.
 * Samples io MB: sends so many MB from thread to thread through a socket, and says what came.
 * Samples unload MS: classes of many class loaders work in `run`, each a short time, and are unloaded.
 * Samples forever: works in `one` until it is killed.
 */
public final class Samples {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static volatile long sink;

    private Samples() { }

    static long processorTime() {
        return THREADS.getCurrentThreadCpuTime();
    }

    private static long mix(long value) {
        value ^= value << 13;
        value ^= value >>> 7;
        return value ^ value << 17;
    }

    static void one(int parts) {
        long value = parts;
        for (int i = 0; i < parts * 20000; i++)
            value = mix(value + i);
        sink += value;
    }

    static void two(int parts) {
        long value = parts;
        for (int i = 0; i < parts * 20000; i++)
            value = mix(value ^ i);
        sink += value;
    }

    static void three(int parts) {
        long value = parts;
        for (int i = 0; i < parts * 20000; i++)
            value = mix(value - i);
        sink += value;
    }

    static void four(int parts) {
        long value = parts;
        for (int i = 0; i < parts * 20000; i++)
            value = mix(value + 3L * i);
        sink += value;
    }

    /** Of a thread: the processor time that it spends in each method, and what it needs to get there. */
    static long[] shares(long ms) {
        long[] spent = new long[4];
        long begin = processorTime(), at = begin;
        while (at - begin < ms * 1000000) {
            one(1);
            long after = processorTime();
            spent[0] += after - at;
            two(2);
            at = processorTime();
            spent[1] += at - after;
            three(3);
            after = processorTime();
            spent[2] += after - at;
            four(4);
            at = processorTime();
            spent[3] += at - after;
        }
        return spent;
    }

    static void runShares(long ms, int threads) throws InterruptedException {
        long[] all = new long[4];
        List<Thread> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                long[] spent = shares(ms);
                synchronized (all) {
                    for (int k = 0; k < 4; k++)
                        all[k] += spent[k];
                }
            }, "share " + i);
            thread.start();
            started.add(thread);
        }
        for (Thread thread : started)
            thread.join();
        String[] names = {"one", "two", "three", "four"};
        for (int k = 0; k < 4; k++)
            System.out.println("truth: " + names[k] + "=" + all[k]);
    }

    public static void work(long ms) {
        long begin = processorTime();
        while (processorTime() - begin < ms * 1000000)
            one(1);
    }

    static void down(int calls, long ms) {
        if (calls > 0)
            down(calls - 1, ms);
        else
            work(ms);
        sink++;
    }

    static void flat(long ms) {
        work(ms);
    }

    static void odd(int calls, long ms) {
        if (calls > 0)
            even(calls - 1, ms);
        else
            work(ms);
        sink++;
    }

    static void even(int calls, long ms) {
        odd(calls - 1, ms);
        sink++;
    }

    static void runVirtual(long ms) throws Exception {
        List<Thread> started = new ArrayList<>();
        for (int i = 0; i < 4; i++) /* by reflection: older JDKs have no virtual threads */
            started.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> {
                long begin = System.nanoTime();
                while (System.nanoTime() - begin < ms * 1000000)
                    one(1);
            }));
        for (Thread thread : started)
            thread.join();
    }

    static int allocate(long ms) {
        int held = 0;
        List<byte[]> kept = new ArrayList<>();
        for (long begin = processorTime(); processorTime() - begin < ms * 1000000;) {
            for (int i = 0; i < 99; i++)
                kept.add(new byte[1024]);
            kept.add(new byte[1024]);
            if (kept.size() == 20000) {
                held += kept.size();
                kept = new ArrayList<>();
            }
        }
        return held;
    }

    static void runGarbage(long ms) throws InterruptedException {
        Thread other = new Thread(() -> sink += allocate(ms), "allocates");
        other.start();
        sink += allocate(ms);
        other.join();
    }

    static void runChurn(long ms) throws InterruptedException {
        for (long begin = System.nanoTime(); System.nanoTime() - begin < ms * 1000000;) {
            Thread[] threads = new Thread[8];
            for (int i = 0; i < threads.length; i++)
                (threads[i] = new Thread(() -> one(5))).start();
            for (Thread thread : threads)
                thread.join();
        }
    }

    static void runSignals(int times) throws Exception { /* by reflection: the compiler warns of sun.misc */
        Class<?> signal = Class.forName("sun.misc.Signal"), handler = Class.forName("sun.misc.SignalHandler");
        AtomicInteger come = new AtomicInteger();
        Object counts = Proxy.newProxyInstance(Samples.class.getClassLoader(), new Class<?>[] {handler}, (p, method, a) -> {
            System.out.println("come " + come.incrementAndGet());
            return null;
        });
        signal.getMethod("handle", signal, handler).invoke(null, signal.getConstructor(String.class).newInstance("PROF"), counts);
        System.out.println("ready");
        while (come.get() < times)
            one(1);
    }

    /** Works in a class loader of its own. */
    public static final class Unloaded implements Runnable {
        @Override
        public void run() {
            work(15);
        }
    }

    private static final class Loader extends ClassLoader {
        Runnable load(byte[] code) throws ReflectiveOperationException {
            return (Runnable) defineClass("Samples$Unloaded", code, 0, code.length).getConstructor().newInstance();
        }
    }

    static void runUnload(long ms) throws Exception {
        byte[] code;
        try (InputStream in = Samples.class.getResourceAsStream("Samples$Unloaded.class")) {
            code = in.readAllBytes();
        }
        for (long begin = processorTime(); processorTime() - begin < ms * 1000000;) {
            for (int i = 0; i < 3; i++)
                new Loader().load(code).run();
            System.gc();
        }
        System.out.println("truth: unloaded=" + ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
    }

    static void runIo(int megabytes) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread sender = new Thread(() -> {
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                     OutputStream out = socket.getOutputStream()) {
                    byte[] block = new byte[1 << 12];
                    for (int i = 0; i < block.length; i++)
                        block[i] = (byte) i;
                    for (int i = 0; i < megabytes << 8; i++)
                        out.write(block);
                } catch (IOException failure) {
                    System.out.println("failed: " + failure);
                }
            }, "sender");
            sender.start();
            long count = 0, sum = 0;
            try (Socket socket = server.accept(); InputStream in = socket.getInputStream()) {
                byte[] block = new byte[1000];
                for (int n; (n = in.read(block)) > 0; count += n)
                    for (int i = 0; i < n; i++)
                        sum += block[i] & 0xff;
            }
            sender.join();
            System.out.println("truth: bytes=" + count);
            System.out.println("truth: sum=" + sum);
        }
    }

    public static void main(String[] arguments) throws Exception {
        long ms = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        switch (arguments[0]) {
            case "shares" -> runShares(ms, Integer.parseInt(arguments[2]));
            case "deep" -> {
                down(Integer.parseInt(arguments[2]), ms);
                flat(ms);
            }
            case "recursion" -> even(20, ms);
            case "virtual" -> runVirtual(ms);
            case "garbage" -> runGarbage(ms);
            case "churn" -> runChurn(ms);
            case "signals" -> runSignals((int) ms);
            case "unload" -> runUnload(ms);
            case "io" -> runIo((int) ms);
            default -> {
                System.out.println("ready");
                for (;;)
                    one(1);
            }
        }
        System.out.println("done " + arguments[0]);
    }
}
