package jomp.runtime;

/** The lock of a critical construct; its monitor is what is held. */
public class NestLock {
}
