/** What test_monitors.c weaves; held_class.h is its class file. */
class Held {
    private final Object lock = new Object();

    int blocks(int kind) {
        synchronized (lock) {
            switch (kind) {
            case 0:
                return 1;
            case 7:
                return 2;
            default:
                for (int i = 0; i < kind; i++)
                    synchronized (this) {
                        if (i == 3)
                            break;
                    }
            }
        }
        return 3;
    }

    synchronized long method(double x) {
        return x > 0 ? 1 : -1;
    }

    static synchronized void ofClass() { }

    void nothing() { }
}
