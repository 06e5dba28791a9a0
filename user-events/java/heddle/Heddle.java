package heddle;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a program can tell Heddle about itself: regions, phases, events with numbers, names of threads, and when to
 * measure. heddle-user-events(3) has examples. In a JVM that is not recorded every call is one branch. The class needs no
 * library and no option: the recording agent brings what is native.
 */
public final class Heddle {
  private static final int NAMES_MAX = 65535; // kept here; the others are looked up each time
  private static final ConcurrentHashMap<String, Integer> numbers = new ConcurrentHashMap<>();
  private static final boolean listens = isThereAnAgent();

  private Heddle() {}

  private static boolean isThereAnAgent() {
    try {
      return listens0();
    } catch (UnsatisfiedLinkError none) {
      return false;
    }
  }

  /** Whether somebody listens: for what is only worth computing then. */
  public static boolean listens() {
    return listens;
  }

  /**
   * Enters a region of the program, which lasts until {@link #leave} on the same thread. Regions nest; leaving one leaves
   * those inside it.
   */
  public static void enter(String name) {
    if (listens) enter0(number(name));
  }

  /** Leaves a region. One that was not entered on this thread is counted and otherwise ignored. */
  public static void leave(String name) {
    if (listens) leave0(number(name));
  }

  /** A phase of the calling thread begins, and the one before ends. Null or "": none begins. */
  public static void phase(String name) {
    if (listens) phase0(name == null || name.isEmpty() ? 0 : number(name));
  }

  /** Names the calling thread in the trace. Its Thread.getName() stays what it is. */
  public static void nameThread(String name) {
    if (listens) nameThread0(name.getBytes(StandardCharsets.UTF_8));
  }

  /** Switches measurement on, for all threads. */
  public static void start() {
    if (listens) measure0(true);
  }

  /** Switches measurement off, for all threads. */
  public static void pause() {
    if (listens) measure0(false);
  }

  /**
   * Begins an event of no duration, which {@link Event#emit} records:
   * {@code Heddle.event("residual").with("step", i).with("norm", r).emit();}
   */
  public static Event event(String name) {
    return listens ? new Event(number(name)) : Event.NONE;
  }

  /** An event with up to 255 attributes whose names differ; further ones do not count. */
  public static final class Event {
    private static final int ATTRIBUTES_MAX = 255;
    private static final int INTEGER = 1;
    private static final int REAL = 2;
    private static final Event NONE = new Event(0);

    private final int name;
    private long[] words = {};
    private int count;

    private Event(int name) {
      this.name = name;
    }

    /** Adds an integer. */
    public Event with(String attribute, long value) {
      return listens ? add(attribute, INTEGER, value) : this;
    }

    /** Adds a real number. */
    public Event with(String attribute, double value) {
      return listens ? add(attribute, REAL, Double.doubleToRawLongBits(value)) : this;
    }

    private Event add(String attribute, int type, long bits) {
      if (count == ATTRIBUTES_MAX) return this;
      if (2 * count == words.length) words = Arrays.copyOf(words, 2 * words.length + 8);
      words[2 * count] = (long) type << 48 | number(attribute);
      words[2 * count + 1] = bits;
      count++;
      return this;
    }

    /** Records the event, at the present time. */
    public void emit() {
      if (listens) event0(name, words, count);
    }
  }

  private static int number(String name) {
    Integer known = numbers.get(name);
    if (known != null) return known;
    int number = number0(name.getBytes(StandardCharsets.UTF_8));
    if (number != 0 && numbers.size() < NAMES_MAX) numbers.put(name, number);
    return number;
  }

  private static native boolean listens0();

  private static native int number0(byte[] utf8);

  private static native void enter0(int name);

  private static native void leave0(int name);

  private static native void phase0(int name);

  private static native void event0(int name, long[] attributes, int count);

  private static native void nameThread0(byte[] utf8);

  private static native void measure0(boolean on);
}
