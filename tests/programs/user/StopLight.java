import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * The traffic light of Tsai's thesis on Glimpse (chapter V): 13 cars and all timers are threads, the intersection is a monitor.
 * A car that meets a green light starts the small timer anew; a timer that expires changes the light, wakes the cars that
 * wait, and starts both timers anew. The argument is the experiment, 1 or 2. In place of sleeps a script says which car
 * arrives and which timer expires next, so that the cars that stop are those of the thesis in each run. The class `lights` is made
 * from lights.spec by `heddle spec generate`.
 */
public final class StopLight {
  private static final int CARS = 13, NORTH_SOUTH = 0, EAST_WEST = 1;

  /** Steps: a car's number arrives, S or L is the timer that expires. The first of the two lists has the cars from east and west. */
  private static final String[][] SCRIPTS = {
      {"1 4 5 7 8 12 13", "1 2 S 4 3 S 5 6 S 7 8 9 10 S 11 12 S 13"},
      {"1 5 6 7 8 9 10 11", "1 2 3 4 5 L 6 7 8 9 10 11 12 13 S"}};

  private final List<Car> stopped = new ArrayList<>();
  private final Semaphore settled = new Semaphore(0); // a car stopped, or is through
  private final int[] timers = new int[2];
  private int light = NORTH_SOUTH;
  private Timer small, large;

  private final class Timer extends Thread {
    private final boolean isLarge;
    private final int direction = light;
    private final Semaphore begun = new Semaphore(0), ended = new Semaphore(0);
    private volatile boolean expires;

    Timer(boolean isLarge) {
      super((isLarge ? "large timer " : "small timer ") + ++timers[isLarge ? 1 : 0]);
      this.isLarge = isLarge;
      start();
      begun.acquireUninterruptibly();
    }

    @Override
    public void run() {
      if (isLarge)
        lights.LargeTimer(direction);
      else
        lights.SmallTimer(direction);
      begun.release();
      ended.acquireUninterruptibly();
      if (expires)
        changeLight(this);
    }

    void end(boolean expires) {
      this.expires = expires;
      ended.release();
    }
  }

  private final class Car extends Thread {
    private final int direction;
    private final Semaphore started = new Semaphore(0), arrives = new Semaphore(0);

    Car(int number, int direction) {
      super("car " + number);
      this.direction = direction;
      start();
      started.acquireUninterruptibly();
    }

    @Override
    public void run() {
      lights.StartMotor();
      started.release();
      arrives.acquireUninterruptibly();
      lights.ArriveIntersection(direction);
      boolean waited = enter(this);
      lights.LeaveIntersection(direction);
      if (!waited)
        settled.release();
    }
  }

  private synchronized void startTimers() {
    large = new Timer(true);
    small = new Timer(false);
  }

  /** Returns whether the car had to wait. */
  private synchronized boolean enter(Car car) {
    if (light == car.direction) {
      lights.NoWait(light);
      small.end(false);
      small = new Timer(false);
      return false;
    }
    lights.Stop(light);
    stopped.add(car);
    settled.release();
    while (light != car.direction)
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    lights.Go(light);
    return true;
  }

  private synchronized void changeLight(Timer by) {
    (by.isLarge ? small : large).end(false);
    light = light == NORTH_SOUTH ? EAST_WEST : NORTH_SOUTH;
    lights.LightChanged(light);
    notifyAll();
    startTimers();
  }

  /** Returns when the cars that the light stopped are through. */
  private void expire(Timer timer) throws InterruptedException {
    List<Car> waiting = List.copyOf(stopped);
    stopped.clear();
    timer.end(true);
    timer.join();
    for (Car car : waiting)
      car.join();
  }

  private void play(List<String> eastWest, String[] script) throws InterruptedException {
    Car[] cars = new Car[CARS + 1];
    startTimers();
    for (int number = 1; number <= CARS; number++)
      cars[number] = new Car(number, eastWest.contains("" + number) ? EAST_WEST : NORTH_SOUTH);
    for (String step : script)
      if (step.equals("S") || step.equals("L")) {
        expire(step.equals("S") ? small : large);
      } else {
        cars[Integer.parseInt(step)].arrives.release();
        settled.acquireUninterruptibly();
      }
    for (int number = 1; number <= CARS; number++)
      cars[number].join();
    small.end(false);
    large.end(false);
  }

  public static void main(String[] arguments) throws InterruptedException {
    String[] script = SCRIPTS[Integer.parseInt(arguments[0]) - 1];
    new StopLight().play(List.of(script[0].split(" ")), script[1].split(" "));
    System.out.println("done");
  }
}
