import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.io.InputStream;

/* Many of a kind. Arguments: threads | virtual | classes | collections, and how many. */
public final class Many {
    public static final AtomicInteger count = new AtomicInteger();

    private static void threads(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            Thread thread = new Thread(count::incrementAndGet, "short " + i);
            thread.start();
            if (i % 4 == 3)
                thread.join();
        }
    }

    /* By reflection: javac of JDK 17 has no virtual threads. */
    private static void virtual(int n) throws Exception {
        Method make = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        ExecutorService executor = (ExecutorService) make.invoke(null);
        Object monitor = new Object();
        for (int i = 0; i < n; i++) {
            int number = i;
            executor.submit(() -> {
                if (number % 100 == 0)
                    Thread.sleep(1);
                if (number % 1000 == 0)
                    synchronized (monitor) { monitor.wait(1); }
                synchronized (monitor) { count.incrementAndGet(); }
                return null;
            });
        }
        executor.shutdown();
        executor.awaitTermination(100, java.util.concurrent.TimeUnit.SECONDS);
    }

    /* The same class, loaded by a loader of its own each time; it waits for its own monitor. */
    public static final class Unloaded implements Runnable {
        @Override
        public synchronized void run() {
            try {
                wait(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            count.incrementAndGet();
        }
    }

    private static final class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Many$Unloaded"))
                return super.loadClass(name, resolve);
            try (InputStream in = Many.class.getResourceAsStream("Many$Unloaded.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private static void classes(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            Class<?> loaded = new Loader().loadClass("Many$Unloaded");
            Object object = loaded.getDeclaredConstructor().newInstance();
            loaded.getMethod("run").invoke(object);
            if (i % 50 == 49)
                System.gc();
        }
    }

    private static byte[] kept;

    private static void collections(int n) {
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 100; k++)
                kept = new byte[100000];
            System.gc();
            count.incrementAndGet();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[1]);
        switch (arguments[0]) {
        case "threads":
            threads(n);
            while (count.get() < n)
                Thread.sleep(1);
            break;
        case "virtual":
            virtual(n);
            break;
        case "classes":
            classes(n);
            break;
        default:
            collections(n);
            break;
        }
        System.out.println("done: " + count.get());
    }
}
