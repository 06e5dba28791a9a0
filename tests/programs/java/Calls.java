import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;

/**
 * Ways to call notify, wait and sleep. Prints `did: METHOD LINE` for each, in order; line 0: nothing in the program calls
 * it where a line could be known at once. `bad: LINE` is a wait that only some JDKs call their native method for.
 */
public final class Calls {
    static final Object object = new Object();
    static final StringBuilder did = new StringBuilder();
    static int bad;

    static {
        synchronized (Calls.class) {
            Calls.class.notify(); did("notify");
        }
    }

    private static void did(String method) {
        int line = new Throwable().getStackTrace()[1].getLineNumber();
        did.append("did: ").append(method).append(' ').append(line).append('\n');
    }

    private static void didSomewhere(String method) {
        did.append("did: ").append(method).append(" 0\n");
    }

    /** The call has no hook, and the one before that has one came to nothing. */
    private static void notifyNull(Method notify) throws Exception {
        Object none = null;
        try {
            none.notify();
        } catch (NullPointerException expected) {
            notify.invoke(object); didSomewhere("notify");
        }
    }

    private void inherited() throws InterruptedException {
        synchronized (this) {
            super.notifyAll(); did("notifyAll");
            wait(1); did("Object.wait");
        }
    }

    public static void main(String[] arguments) throws Throwable {
        Method notify = Object.class.getMethod("notify"), wait = Object.class.getMethod("wait", long.class);
        MethodHandle handle = MethodHandles.lookup().findVirtual(Object.class, "notifyAll", MethodType.methodType(void.class));
        Runnable lambda = () -> {
            object.notify(); did("notify");
        };
        synchronized (object) {
            for (int i = 0; i < 3; i++) {
                lambda.run();
                object.wait(1); did("Object.wait");
                object.wait(1, 1); did("Object.wait");
                wait.invoke(object, 1L); did("Object.wait");
                notify.invoke(object); didSomewhere("notify");
                handle.invoke(object); didSomewhere("notifyAll");
                notifyNull(notify);
                try {
                    bad = new Throwable().getStackTrace()[0].getLineNumber(); object.wait(-1);
                } catch (IllegalArgumentException expected) {
                    object.notifyAll(); did("notifyAll");
                }
                int[] array = {1};
                synchronized (array) {
                    array.notify(); did("notify");
                }
                Thread.sleep(1); did("Thread.sleep");
                TimeUnit.MILLISECONDS.sleep(1); did("Thread.sleep");
                new Calls().inherited();
            }
        }
        System.out.print(did);
        System.out.println("bad: " + bad);
    }
}
