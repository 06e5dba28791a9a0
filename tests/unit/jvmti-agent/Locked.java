/** What test_locked.c weaves; locked_class.h is its class file. */
class Locked {
    static int block(int kind) {
        synchronized (Locks.of("outer")) {
            switch (kind) {
            case 0:
                return 1;
            case 7:
                throw new IllegalStateException();
            default:
                for (int i = 0; i < kind; i++)
                    synchronized (Locks.of("inner")) {
                        if (i == 3)
                            break;
                    }
            }
        }
        return 3;
    }

    static void later() {
        Object lock = Locks.of("later");
        synchronized (lock) {
            Locks.of("nothing");
        }
    }
}

class Locks {
    static Object of(String name) {
        return name;
    }
}
