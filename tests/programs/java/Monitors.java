/*
 * Monitors held in all the ways there are, in code of all shapes. For each monitor it says how often it was taken, and how
 * long it was held at least (looked at inside) and at most (outside): held: <class>|<times>|<ns>|<ns>. Arguments: rounds;
 * and "deep": then the stack overflows in the end, with monitors held in each frame.
 */
public final class Monitors {
    private static final class Block { }

    private static final class Waited { }

    private static final class Other { }

    private static final class Sum {
        long times, least, most;

        void add(long before, long begin, long end) {
            times++;
            least += end - begin;
            most += System.nanoTime() - before;
        }
    }

    private static final Sum ofBlock = new Sum(), ofWaited = new Sum(), ofMethod = new Sum(), ofClass = new Sum();
    private static long begin, end; /* of what a method did inside */

    private final Block block = new Block();
    private final Waited waited = new Waited();
    private final Other other = new Other();

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private long block(int kind) {
        synchronized (block) {
            begin = System.nanoTime();
            try {
                pause(2);
                switch (kind) {
                case 0:
                    return kind;
                case 1:
                case 2:
                    for (int i = 0; i < 3; i++)
                        synchronized (other) {
                            if (i == kind)
                                break;
                        }
                    synchronized (block) { /* again */
                        pause(1);
                    }
                    return kind * 2L;
                default:
                    throw new IllegalArgumentException("kind " + kind);
                }
            } finally {
                end = System.nanoTime();
            }
        }
    }

    private void waits(int ms) throws InterruptedException {
        synchronized (waited) {
            begin = System.nanoTime();
            pause(1);
            long waiting = System.nanoTime();
            waited.wait(ms);
            begin += System.nanoTime() - waiting;
            pause(1);
            end = System.nanoTime();
        }
    }

    private synchronized double method(double x, boolean fails) {
        begin = System.nanoTime();
        try {
            pause(2);
            if (fails)
                throw new IllegalStateException("on purpose");
            double[] all = {x, x * 2};
            for (double each : all)
                if (each > x)
                    return each;
            return x;
        } finally {
            end = System.nanoTime();
        }
    }

    private static synchronized String ofClass(Object object) {
        begin = System.nanoTime();
        pause(1);
        String text = object instanceof String s && !s.isEmpty() ? s : object == null ? "null" : new String("other");
        end = System.nanoTime();
        return text;
    }

    private synchronized int deep(int depth) {
        synchronized (other) {
            synchronized (Monitors.class) {
                return deep(depth + 1) + 1;
            }
        }
    }

    private static void check(boolean good, String what) {
        if (!good)
            throw new AssertionError(what);
    }

    private void blocks() {
        for (int kind = 0; kind < 4; kind++) {
            long before = System.nanoTime();
            try {
                check(block(kind) == (kind == 0 ? 0 : 2L * kind) && kind < 3, "result of block");
            } catch (IllegalArgumentException e) {
                check(kind == 3 && e.getMessage().equals("kind 3"), "exception of block");
            }
            ofBlock.add(before, begin, end);
        }
    }

    private void methods() {
        long before = System.nanoTime();
        check(method(1.5, false) == 3.0, "result of method");
        ofMethod.add(before, begin, end);
        before = System.nanoTime();
        try {
            method(1, true);
            throw new AssertionError("no exception");
        } catch (IllegalStateException e) {
            check(e.getMessage().equals("on purpose"), "exception of method");
        }
        ofMethod.add(before, begin, end);
        for (Object object : new Object[] {null, "x", 1}) {
            before = System.nanoTime();
            check(ofClass(object).equals(object == null ? "null" : object instanceof String ? object : "other"), "ofClass");
            ofClass.add(before, begin, end);
        }
    }

    private void overflow() {
        try {
            deep(0);
        } catch (StackOverflowError e) {
            System.out.println("overflow");
        }
        check(!Thread.holdsLock(this) && !Thread.holdsLock(other) && !Thread.holdsLock(Monitors.class), "still held");
    }

    private static void say(String name, Sum sum) {
        System.out.println("held: " + name + "|" + sum.times + "|" + sum.least + "|" + sum.most);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Monitors monitors = new Monitors();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            monitors.blocks();
            long before = System.nanoTime();
            monitors.waits(20);
            ofWaited.add(before + 20_000_000, begin, end); /* it did not have it for at least so long */
            monitors.methods();
        }
        if (arguments.length > 1)
            monitors.overflow();
        say("Monitors$Block", ofBlock);
        say("Monitors$Waited", ofWaited);
        say("Monitors", ofMethod);
        say("Monitors.class", ofClass);
    }
}
