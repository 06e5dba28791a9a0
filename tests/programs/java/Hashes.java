/* Notifies an object of one class and one of another in turn. Argument: how often. */
public final class Hashes {
    private static final class First { }

    private static final class Second { }

    private static void notify(Object object) {
        synchronized (object) {
            object.notify();
        }
    }

    public static void main(String[] arguments) {
        First first = new First();
        Second second = new Second();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            notify(first);
            notify(second);
        }
    }
}
