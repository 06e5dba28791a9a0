/** What test_weave.c weaves; sample_class.h is its class file. */
class Sample extends Base {
    static synchronized double mixed(int i, long l, float f, double d, int[][] a, String s) {
        return i + l + f + d + a.length + s.length();
    }

    static int sections(int me) {
        switch ((int) Runtime.ticket(me)) {
        case 0:
            return 10;
        case 1:
            return 11;
        case 2:
            return 12;
        default:
            return -1;
        }
    }

    static int one(int me) {
        switch ((int) Runtime.ticket(me)) {
        case 0:
            return 10;
        default:
            return -1;
        }
    }

    static boolean single(int me) {
        return Runtime.ticket(me) == 0;
    }

    public void go(int me) {
        if (me > 0)
            throw new IllegalStateException();
    }

    static int count() {
        return 4;
    }
}

class Base {
    public void go(int me) {
    }
}

class Runtime {
    static long ticket(int me) {
        return me;
    }
}
