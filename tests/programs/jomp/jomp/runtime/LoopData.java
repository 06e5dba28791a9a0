package jomp.runtime;

/** Iterations of a loop: all of them, or a chunk. A chunk with a startStep repeats at this distance. */
public class LoopData {
    public long start, stop, step, startStep;
    public boolean isLast;
    public long chunkSize;
}
