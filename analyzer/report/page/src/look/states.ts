// Keys of states in documents, and how the page calls them.

/** States as columns, the most important first; SYNCH and BLOCKED are sums of their causes. */
export const NAMES: [key: string, title: string][] = [
  ['run', 'RUN'], ['idle', 'IDLE'], ['overhead', 'OVERHEAD'], ['synch', 'SYNCH'], ['blocked', 'BLOCKED'], ['spin', 'SPIN'], ['gc', 'GC'], ['init', 'INIT'], ['traceflush', 'TRACEFLUSH'], ['unmeasured', 'UNMEASURED'], ['ready', 'READY'], ['off', 'OFF'],
]
export const CAUSES: [key: string, title: string][] = [
  ['synch_implicit_barrier', 'implicit barrier'], ['synch_barrier', 'barrier'], ['synch_mutex', 'critical/lock'], ['synch_ordered', 'ordered'], ['synch_taskwait', 'taskwait'], ['synch_reduction', 'reduction'],
  ['synch_pthread_mutex', 'pthread mutex'], ['synch_pthread_rwlock', 'pthread rwlock'], ['synch_pthread_condition', 'pthread condition'], ['synch_semaphore', 'semaphore'], ['synch_pthread_barrier', 'pthread barrier'], ['synch_atomic_wait', 'atomic wait'], ['synch_join', 'join'],
  ['blocked_mutex', 'IN MUTEX'], ['blocked_condvar', 'IN CONDVAR'],
]
