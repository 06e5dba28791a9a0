package jomp.runtime;

/** The body of a parallel region. The compiler makes a subclass of it for each one. */
public abstract class BusyTask {
    public abstract void go(int me) throws Throwable;
}
