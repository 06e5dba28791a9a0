import jomp.runtime.BusyTask;
import jomp.runtime.OMP;

/**
 * Pauses N REGIONS: switches measurement off for so many regions, and for some barriers in the middle of a region. Needs
 * heddle.jar.
 */
public class Pauses {
    static void measure(String what) throws Exception {
        Class.forName("heddle.Heddle").getMethod(what).invoke(null);
    }

    static class Middle extends BusyTask {
        public void go(int me) throws Throwable {
            OMP.doBarrier(me);
            measure("pause");
            for (int i = 0; i < 10; i++)
                OMP.doBarrier(me);
            measure("start");
            OMP.doBarrier(me);
        }
    }

    public static void main(String[] arguments) throws Throwable {
        OMP.doParallel(new Constructs.LoopStatic());
        measure("pause");
        for (int i = Integer.parseInt(arguments[0]); i > 0; i--)
            OMP.doParallel(new Constructs.LoopStatic());
        measure("start");
        OMP.doParallel(new Middle());
        OMP.doParallel(new Constructs.LoopStatic());
        System.out.println("sum=" + Constructs.sum);
    }
}
