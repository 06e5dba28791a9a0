// What the words mean, a sentence each, in the words of docs/states.md, docs/why.md and the manual pages.

/** Keys of states, sums and causes. */
export const STATE_WORDS: Record<string, string> = {
  run: 'The thread executes the program’s own code.',
  idle: 'A worker thread outside of any team, or a thread of a pool, without work.',
  overhead: 'Work of the OpenMP runtime: it forms a team, hands out iterations, creates tasks, or does the bookkeeping of a barrier.',
  synch: 'The thread waits for another thread; the causes are states of their own.',
  synch_implicit_barrier: 'The thread waits at the barrier at the end of a construct.',
  synch_barrier: 'The thread waits at a barrier that the program asks for.',
  synch_mutex: 'The thread waits for a critical section, a lock or an atomic that another thread holds.',
  synch_ordered: 'The thread waits for its turn in an ordered construct.',
  synch_taskwait: 'The thread waits for tasks: taskwait, or the end of a taskgroup.',
  synch_reduction: 'The thread waits in a reduction.',
  synch_pthread_mutex: 'The thread waits for a mutex or spin lock of POSIX threads.',
  synch_pthread_rwlock: 'The thread waits for a read-write lock of POSIX threads.',
  synch_pthread_condition: 'The thread waits for a condition variable of POSIX threads.',
  synch_semaphore: 'The thread waits for a semaphore.',
  synch_pthread_barrier: 'The thread waits at a barrier of POSIX threads.',
  synch_atomic_wait: 'The thread waits at a std::barrier, std::latch, std::counting_semaphore or std::atomic, or at a lock of Rust.',
  synch_join: 'The thread waits for the end of another thread.',
  blocked: 'A thread of Java waits; the causes are states of their own.',
  blocked_mutex: 'The thread waits for a monitor or lock that another thread holds.',
  blocked_condvar: 'The thread waits, is parked, sleeps, or joins another thread.',
  spin: 'The thread yields repeatedly: it waits for another thread without blocking.',
  gc: 'The thread is stopped for garbage collection, or until the collector has freed memory.',
  init: 'The thread is created, and does not run yet.',
  ready: 'The thread could run, but has no processor: it was preempted, or yielded.',
  off: 'The thread is blocked in the kernel: sleep, input and output, page faults, or a lock that Heddle does not record.',
  traceflush: 'Work of the measurement itself; it never counts as the program’s time.',
  unmeasured: 'Measurement was off, events are lost, or constructs were omitted by the budget.',
}

/** Kinds of the account. */
export const KIND_WORDS: Record<string, string> = {
  work: 'Processors execute the program’s own code.',
  imbalance: 'Threads wait for a thread that has more work since they met last.',
  serial: 'One thread works alone while the others wait or have nothing to do.',
  grain: 'Pieces of work (regions, chunks, tasks, threads) are so small that handing them out takes a large part of the time.',
  tasks: 'Threads wait because too few tasks are ready at a time.',
  synchronization: 'Threads wait for locks, for their turn, or for the wake-up after a lock.',
  processors: 'Threads that could work have no processor.',
  blocked: 'Threads that others wait for are blocked in the kernel: files, time.',
  threads: 'There are fewer threads than processors, or threads have nothing to do.',
  collection: 'Threads are stopped for garbage collection.',
  memory: 'The same work takes longer on some threads.',
  forever: 'Threads wait for each other, and the wait has no end.',
  runtime: 'The runtime takes time of its own, and wake-ups take up to 100 µs each.',
  measurement: 'The measurement itself.',
  outside: 'Nobody has anything to do, or a thread waits for input from outside: this time cannot be won.',
  unknown: 'The trace does not have the reason.',
}

/** Figures of tables and pages. */
export const FIGURE_WORDS: [word: string, meaning: string][] = [
  ['account', 'What the processors of the run had, from the start of its first process to its end, booked once by reason: the shares add up to 100 %.'],
  ['could win', 'The account’s share at a place or of a kind: the time that is lost there, and that the run could be shorter by.'],
  ['lifetime', 'The time from a thread’s first event to its last one. Its states add up to this time exactly.'],
  ['% of all', 'A share of all threads’ measured time, without UNMEASURED.'],
  ['executed', 'How often a construct was executed; exact also where executions were omitted.'],
  ['elapsed', 'From the first thread’s begin to the last thread’s end, of all executions.'],
  ['imbalance', 'How much more the busiest thread of an execution works than the mean: an even share would save so much.'],
  ['late', 'From a fork until the last thread of the team begins.'],
  ['critical path', 'The chain of work that the length of the run depends on: where a thread waited, it follows the thread that ended the wait.'],
  ['parallel efficiency', 'The share of work, as a product of load balance, serialization and transfer.'],
  ['span', 'The longest chain of tasks that depend on each other.'],
  ['stolen', 'Tasks that another thread executed than the one that made them.'],
  ['omitted', 'Not recorded, by the budget’s decision, but counted if possible.'],
  ['lost', 'Not recorded, because there was no room.'],
  ['not measured', 'Not recorded, because measuring was switched off.'],
  ['estimate', 'A figure that is not measured (~): half of its 95 % interval stands behind ±.'],
  ['ruled out', 'Tested on this trace, and below the threshold.'],
  ['unknown', 'Not in the trace: the page names what to record.'],
]

export const wordOf = (key: string): string => STATE_WORDS[key] ?? KIND_WORDS[key] ?? ''
