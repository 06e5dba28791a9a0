import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.locks.LockSupport;

/** Works when it is told to: each line of standard input is a number of waits, each of which ends at once. */
public class Phases {
    static void work(int n) {
        for (int i = 0; i < n; i++) {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park();
        }
        System.out.println("done: " + n);
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine())
            work(Integer.parseInt(line));
        System.out.println("result: right");
    }
}
