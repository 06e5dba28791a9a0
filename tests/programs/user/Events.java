import heddle.Heddle;

/** The same in Java: tests/end-to-end/user_events.py knows what must come of it. */
public class Events {
  private static void sequence() throws Exception {
    Heddle.nameThread("soloist");
    Heddle.phase("set-up");
    Heddle.enter("whole");
    Heddle.event("bare").emit();
    Heddle.event("numbers").with("smallest", Long.MIN_VALUE).with("int", 7).with("pi", 3.25).emit();
    Heddle.phase("work");
    Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      int number = i;
      threads[i] = new Thread(() -> step(number), "worker " + i);
      threads[i].start();
      threads[i].join();
    }
    Heddle.leave("whole");
    Heddle.phase(null);
    Heddle.pause();
    Heddle.enter("while off");
    Heddle.leave("while off");
    Heddle.start();
  }

  private static void step(int number) {
    if (number == 1) Heddle.nameThread("renamed \u00e9\ud83c\udf0d");
    Heddle.enter("step");
    Heddle.event("member").with("number", number).emit();
    Heddle.leave("step");
  }

  private static void unbalanced() {
    Heddle.leave("nothing");
    Heddle.enter("open");
  }

  private static void many() {
    for (int i = 0; i < 100000; i++) {
      Heddle.enter("name " + i);
      Heddle.leave("name " + i);
    }
    Heddle.Event event = Heddle.event("all");
    for (int i = 0; i < 300; i++) event.with("a" + i, i);
    event.emit();
  }

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "sequence" -> sequence();
      case "unbalanced" -> unbalanced();
      default -> many();
    }
    System.out.println("done");
  }
}
