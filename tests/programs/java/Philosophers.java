/* Dining philosophers with monitors for forks. Each eats `meals` times: by a sleep on one line of its own, EAT. */
public final class Philosophers {
    public static void main(String[] arguments) throws InterruptedException {
        int count = Integer.parseInt(arguments[0]), meals = Integer.parseInt(arguments[1]);
        Object[] forks = new Object[count];
        Thread[] philosophers = new Thread[count];
        for (int i = 0; i < count; i++)
            forks[i] = new Object();
        for (int i = 0; i < count; i++) {
            Object first = forks[Math.min(i, (i + 1) % count)], second = forks[Math.max(i, (i + 1) % count)];
            philosophers[i] = new Thread(() -> {
                for (int meal = 0; meal < meals; meal++)
                    synchronized (first) {
                        synchronized (second) {
                            eat();
                        }
                    }
            }, "philosopher " + i);
        }
        for (Thread philosopher : philosophers)
            philosopher.start();
        for (Thread philosopher : philosophers)
            philosopher.join();
        System.out.println("all ate");
    }

    private static void eat() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
