// question: why are my threads slow?
// answer: collection; collection
// run: jvm=-Xmx40m jvm=-XX:+UseSerialGC
// They make much garbage in a small heap.
import java.util.*;
public class Garbage {
  public static void main(String[] a) throws Exception {
    Thread[] t = new Thread[2];
    for (int i = 0; i < 2; i++) { t[i] = new Thread(() -> { ArrayDeque<byte[]> q = new ArrayDeque<>(); for (int k = 0; k < 400000; k++) { q.add(new byte[1000]); if (q.size() > 12000) q.poll(); } }, "alloc-" + i); t[i].start(); }
    for (Thread x : t) x.join();
  }
}
