import jomp.runtime.LoopData;

/** What a loop does with its data, in a class of its own: who calls this refers to no field of LoopData. */
class Helper {
    static LoopData whole(long start, long stop, long step) {
        LoopData whole = new LoopData();
        whole.start = start;
        whole.stop = stop;
        whole.step = step;
        return whole;
    }

    static boolean isLast(LoopData chunk) {
        return chunk.isLast;
    }

    static long sum(LoopData whole, LoopData chunk) {
        long sum = 0;
        for (long i = chunk.start; i < Math.min(chunk.stop, whole.stop); i += chunk.step)
            sum += i;
        return sum;
    }
}
