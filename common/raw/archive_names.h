/* clang-format off */ /* the lists keep their lines */
/*
 * The archive: the converter writes it, the analyzer reads it, and so do viewers and scripts. This header has the names
 * that both sides share, and their meaning; docs/otf2.md says where each of them stands. raw_trace.h is its twin.
 *
 * The lists make constants of their texts, at the end of the header. X(EVENTS_LOST, "HEDDLE::EVENTS_LOST") of
 * ARCHIVE_PROPERTIES is ARCHIVE_EVENTS_LOST. The others are PROCESS_..., LOCATION_..., NAME_OF_... (attributes),
 * REGION_..., NAME_..., FACT_... and VALUE_... . Names are never reused for something else: archives live long.
 */
#ifndef HEDDLE_COMMON_RAW_ARCHIVE_NAMES_H
#define HEDDLE_COMMON_RAW_ARCHIVE_NAMES_H

/* Suffixes of source files of compilers for the JVM. */
#define JAVA_SOURCES {".java", ".kt", ".scala", ".groovy"}

/* Properties of the archive. In OTF2 all of these are texts. X(constant, name) */
#define ARCHIVE_PROPERTIES(X)                                                                                          \
  X(VERSION, "HEDDLE::VERSION")                     /* of the converter */                                             \
  X(EVENTS_LOST, "HEDDLE::EVENTS_LOST")             /* number; there was no room for them */                           \
  X(EVENTS_SKIPPED, "HEDDLE::EVENTS_SKIPPED")       /* number; they interrupted the recording of another one */        \
  X(THREADS_LOST, "HEDDLE::THREADS_LOST")           /* number; they were not recorded */                               \
  X(LOST_REASON, "HEDDLE::LOST_REASON")             /* text for people; absent: nothing was lost */                    \
  X(CHUNKS_DERIVED, "HEDDLE::CHUNKS_DERIVED")       /* number; they follow from the schedule, without times */         \
  X(CHUNKS_SUMMED, "HEDDLE::CHUNKS_SUMMED")         /* number; omitted, because of the budget */                       \
  X(INSTANCES_SKIPPED, "HEDDLE::INSTANCES_SKIPPED") /* number, of constructs; likewise */                              \
  X(LEFT_OUT, "HEDDLE::INSTANCES_LEFT_OUT")         /* number; `weight` and `skipped instances` count them */          \
  X(SINKS_UNTIMED, "HEDDLE::SINKS_UNTIMED")         /* number of doacross waits that have zero length */               \
  X(SINKS_AT_MOST, "HEDDLE::SINKS_AT_MOST")         /* ticks that these can have taken */                              \
  X(ENDS_CORRECTED, "HEDDLE::ENDS_CORRECTED")       /* number of barriers' ends that the runtime reported late */      \
  X(ENDS_FORCED, "HEDDLE::ENDS_FORCED")             /* number of ends that nobody saw */                               \
  X(ENDS_UNMATCHED, "HEDDLE::ENDS_UNMATCHED")       /* number of ends whose begin was lost; they are ignored */        \
  X(USER_NOT_LEFT, "HEDDLE::USER_NOT_LEFT")         /* number of regions that the program did not leave */             \
  X(USER_UNMATCHED, "HEDDLE::USER_UNMATCHED")       /* number of leaves without a region */                            \
  X(SWITCHES, "HEDDLE::SWITCHES")                   /* number of context switches; absent: they were not recorded */   \
  X(SWITCHES_COST, "HEDDLE::SWITCHES_COST")         /* ns that recording them took; absent: unknown */                \
  X(SWITCHES_LOST, "HEDDLE::SWITCHES_LOST")         /* number of kernel events that did not fit into its buffers */    \
  X(SAMPLES, "HEDDLE::SAMPLES")                     /* number of them in samples.otf2; absent: none were taken */        \
  X(SAMPLES_LEFT_OUT, "HEDDLE::SAMPLES_LEFT_OUT")   /* ... that are not: of threads that were not recorded */           \
  X(SAMPLES_LOST, "HEDDLE::SAMPLES_LOST")           /* number; they were due, but could not be taken or kept */         \
  X(SAMPLES_NO_TIMER, "HEDDLE::SAMPLES_NO_TIMER")   /* number of threads without one; absent: there are no timers */                  \
  X(SAMPLES_CUT, "HEDDLE::SAMPLES_CUT")             /* ... in samples.otf2 whose outermost callers are not known */    \
  X(SAMPLES_UNNAMED, "HEDDLE::SAMPLES_UNNAMED")     /* ... there, in or below a Java method whose name is unknown */     \
  X(SAMPLES_LOST_WHY, "HEDDLE::SAMPLES_LOST_WHY")   /* `<n> <VALUE_SAMPLE_...>`, separated by commas; absent: none */    \
  X(CALLS, "HEDDLE::CALLS")                         /* number of contexts in calls.otf2; absent: none were recorded */  \
  X(CALLS_FULL, "HEDDLE::CALLS_FULL")               /* calls that are in none: there was no room for their context, */  \
  X(CALLS_DEEP, "HEDDLE::CALLS_DEEP")               /* ... or they were deeper than was asked for, */                   \
  X(CALLS_SKIPPED, "HEDDLE::CALLS_SKIPPED")         /* ... or calls and returns in a handler that interrupted one */    \
  X(CALLS_LEFT, "HEDDLE::CALLS_LEFT")               /* calls that ended without a return: longjmp, an exception */      \
  X(CALLS_UNMATCHED, "HEDDLE::CALLS_UNMATCHED")     /* returns whose call was not recorded */                           \
  X(CALLS_ON_VIRTUAL, "HEDDLE::CALLS_ON_VIRTUAL")   /* calls by virtual threads, which are in none */                   \
  X(CALLS_DAMAGED, "HEDDLE::CALLS_DAMAGED")         /* parts of the raw trees that could not be read */                 \
  X(PTHREADS, "HEDDLE::PTHREADS")                   /* 1: waits of POSIX threads are recorded, of one process at least */ \
  X(READINGS, "HEDDLE::PROCESSOR_READINGS")         /* number of events with METRIC_OFF; absent: there are none */     \
  X(COUNTERS, "HEDDLE::COUNTER_READINGS")           /* number of events with counters of threads; absent: there are none */ \
  X(COUNTERS_PRICE, "HEDDLE::COUNTER_READING_NS")   /* number; what such a reading took in the first process */        \
  X(COUNTERS_LOST, "HEDDLE::COUNTERS_LOST")         /* number of threads that were not counted, or not to their end */ \
  X(CLOCK_ANCHORS, "HEDDLE::CLOCK_ANCHORS")         /* number of moments at which the counter's time was read; absent: \
                                                       no process recorded a counter */                                \
  X(CLOCK_APART, "HEDDLE::CLOCK_APART")             /* ns; so far apart are two of them at most */                     \
  X(CLOCK_WIDTH, "HEDDLE::CLOCK_WIDTH")             /* ns; so exactly each is known, and times across threads */       \
  X(CLOCK_JUMPS, "HEDDLE::CLOCK_JUMPS")             /* number; the counter jumped against the time */                  \
  X(CLOCK_JUMP, "HEDDLE::CLOCK_JUMP")               /* the first ones, by ` `: FROM:TO:AHEAD, archive times between    \
                                                       which it was, and ns, below 0 where it went back */             \
  X(PROFILE, "HEDDLE::PROFILE")                     /* 1: sums were recorded, no events; absent: events were; or ... */

/* Properties of a location group, a process. All are of type STRING. X(constant, name) */
#define PROCESS_PROPERTIES(X)                                                                                          \
  X(COMMAND, "HEDDLE::COMMAND")     /* the command line as one would type it, roughly */                               \
  X(EXE, "HEDDLE::EXE")             /* path */                                                                         \
  X(CWD, "HEDDLE::CWD")             /* path */                                                                         \
  X(HOST, "HEDDLE::HOST")           /* name of the machine */                                                          \
  X(RUNTIME, "HEDDLE::RUNTIME")     /* name and version as the runtime gave them */                                    \
  X(ENDED, "HEDDLE::ENDED")         /* VALUE_ENDED_... */                                                              \
  X(RECORDING, "HEDDLE::RECORDING") /* VALUE_RECORDING_...; absent: it started */                                      \
  X(CLOCK, "HEDDLE::CLOCK")         /* VALUE_CLOCK_... */                                                              \
  X(CLOCK_WHY, "HEDDLE::CLOCK_WHY") /* why that clock, as a part of a sentence */                                      \
  X(PROCESSORS, "HEDDLE::PROCESSORS") /* number that the process may use, by its affinity; absent: not known */        \
  X(CPU_LIMIT, "HEDDLE::CPU_LIMIT") /* processors that its control group may use at a time, as `1.50`; absent: all */  \
  X(THROTTLED, "HEDDLE::THROTTLED_US") /* number; for how long the group was stopped for that while it was recorded */ \
  X(STOLEN, "HEDDLE::STOLEN") /* percent of the machine's processor time that a hypervisor took meanwhile, as `7.25`;  \
                                 absent: none has, or not known */                                                     \
  X(BUDGET, "HEDDLE::BUDGET") /* what recording could take: `5 %` of each thread's time, `1/64` of the instances, or   \
                                 `none`, no limit; absent: recorded before there were budgets */                      \
  X(JAVA_SAMPLED, "HEDDLE::JAVA_SAMPLED") /* 1: the agent sampled its Java threads, also in the kernel; absent: none */ \
  X(KEEP, "HEDDLE::ENV::HEDDLE_KEEP") /* the places whose instances were all to be recorded (common/budget/keep.h) */        \
  X(COSTS, "HEDDLE::ENV::HEDDLE_COSTS") /* `libgomp threads 2 task 310 chunk 84 lock 19 mutex 17`: a runtime or `posix`, threads   \
                                           that used it at once, ns of an operation each, as `heddle record` measured; absent: it did \
                                           not */ \
  X(MAX_RATE, "HEDDLE::ENV::HEDDLE_MAX_RATE") /* of archives before there were budgets: the rate beyond which          \
                                                 instances are skipped; absent or 0: none */

/* Properties of a location, a thread. X(constant, name, OTF2 type) */
#define LOCATION_PROPERTIES(X)                                                                                         \
  X(THREAD_TYPE, "HEDDLE::THREAD_TYPE", STRING)         /* VALUE_THREAD_... */                                         \
  X(THREAD_GROUP, "HEDDLE::THREAD_GROUP", STRING)       /* in Java */                                                  \
  X(JAVA_ID, "HEDDLE::JAVA_ID", UINT64)                 /* Thread.getId() */                                           \
  X(JAVA_CLASS, "HEDDLE::JAVA_CLASS", STRING)           /* the Runnable's, or a subclass of Thread; absent: unknown */ \
  X(TID, "HEDDLE::TID", UINT64)                         /* the kernel's id of the thread */                            \
  X(BEGAN, "HEDDLE::BEGAN", UINT64)                     /* ticks; an initial thread has it: when it began to work, before \
                                                           its first event; absent: unknown */                         \
  X(BOUND_TO, "HEDDLE::BOUND_TO", STRING)               /* processors, as `0-3,8`; absent: it may run on all */        \
  X(COUNTERS_SCALED, "HEDDLE::COUNTERS_SCALED", STRING) /* names, with commas: their counts are estimates, because the \
                                                 processor did not count them all the time; absent: no counter's */    \
  X(EVENTS_LOST, "HEDDLE::EVENTS_LOST", UINT64)         /* as of the archive; absent: 0 */                             \
  X(EVENTS_SKIPPED, "HEDDLE::EVENTS_SKIPPED", UINT64)   /* likewise */                                                 \
  X(RECORDS, "HEDDLE::RECORDS", UINT64)                 /* of the raw trace */                                         \
  X(RECORDING_TICKS, "HEDDLE::RECORDING_TICKS", UINT64) /* ticks that recording kept the thread, about */

/*
 * Attributes of events, in the order in which they are defined. X(constant, name, OTF2 type, description); the archive
 * has the description, too. After them come the attributes without a name of ours, for dependences (NAME_DEPEND) and
 * the program's own events.
 */
#define ATTRIBUTES(X)                                                                                                  \
  X(FIRST, "first iteration", INT64, "first iteration of a chunk")                                                     \
  X(ITERATIONS, "iterations", UINT64, "iterations of a chunk")                                                         \
  X(CHUNKS, "chunks", UINT64, "chunks that one event stands for")                                                      \
  X(DERIVED, "derived", UINT8, "1: not observed, follows from the schedule")                                           \
  X(CLOSED, "closed", STRING, "why the region was left without its end having been seen")                              \
  X(COMMAND, "command", UINT64, "of omp_control_tool")                                                                 \
  X(MODIFIER, "modifier", UINT64, "of omp_control_tool")                                                               \
  X(CANCEL, "cancel", STRING, "what was cancelled")                                                                    \
  X(OBJECT_CLASS, "object class", STRING, "class of the Java object; input and output: socket, file or host")          \
  X(OBJECT, "object", UINT64, "identity hash of the Java object; of a socket its port; POSIX threads: number of the mutex, ... in the run") \
  X(OWNER, "owner", UINT64, "id of the thread that had the monitor or mutex: Java's, or the kernel's (HEDDLE::TID)")   \
  X(OWNER_PLACE, "owner at", REGION, "where the owner of the monitor was")                                             \
  X(PINNED, "pinned by", REGION, "the native method or class initializer for which a virtual thread kept its carrier")  \
  X(TIMED_OUT, "timed out", UINT8, "1: the wait ended because its time ended")                                         \
  X(INTERRUPTED, "interrupted", UINT8, "1: the wait was interrupted")                                                  \
  X(OPERATION, "operation", STRING, "what the JVM stopped its threads for, by the JVM's own name")                     \
  X(YIELDS, "count", UINT64, "how often the thread yielded")                                                           \
  X(VIRTUAL_THREAD, "virtual thread", UINT64, "id of the virtual thread")                                              \
  X(THREAD, "thread", UINT64, "id of the thread that this is about: Java's, or the kernel's (HEDDLE::TID)")            \
  X(CALLERS, "callers", STRING, "who called the method that waits, innermost first")                                   \
  X(CONSTRUCT, "construct", REGION, "construct with omitted instances")                                                \
  X(INSTANCES, "instances", UINT64, "instances that were not recorded")                                                \
  X(JOINED, "joined", UINT64, "the same, where the thread was not number 0 of the team")                               \
  X(TIME, "time", UINT64, "ticks that the thread was in instances that were not recorded")                             \
  X(INSIDE, "inside", UINT8, "1: they were inside of others, whose time has theirs")                                   \
  X(WEIGHT, "weight", UINT64, "instances that this one stands for: itself and omitted ones before it; absent: 1 ")      \
  X(ROW, "row", STRING, "what a row of a profile sums up")                                                             \
  X(SELF, "self", UINT64, "ticks that the thread was in instances, without what is inside them")                       \
  X(LONGEST, "longest", UINT64, "ticks of the longest instance")                                                       \
  X(CONTENDED, "contended", UINT64, "instances that waited for longer than some microseconds")                         \
  X(WAITING, "waited", UINT64, "ticks that these waited")                                                             \
  X(SINCE_BEGIN, "since begin", UINT64, "ticks from the region's begin to arrivals at its last barrier, or to its end") \
  X(UNCONTENDED, "uncontended", UINT64, "acquisitions at once since the thread's last such number")                    \
  X(FAILED_TRIES, "failed tries", UINT64, "tries of the program that failed, likewise")                                \
  X(LOCK, "lock", UINT64, "number of the lock for which the thread still waited at the run's end")    \
  X(TRIED, "tried", UINT8, "1: a try got the lock")                                                                     \
  X(METRIC, "metric", STRING, "what a row counts that is about no construct's executions")                             \
  X(NUMBER, "number in team", UINT64, "of the thread in its innermost team")                                           \
  X(ABOUT, "about", STRING, "name of the lock, object or event that a row counts")                                     \
  X(VALUE_OF, "value of", STRING, "name of the event's attribute that has the values")                                 \
  X(AROUND, "in", REGION, "the innermost construct in which it was")                                                   \
  X(HELD, "held", UINT64, "ticks from acquisitions to releases")                                                       \
  X(SUM, "sum", INT64, "sum of values, or of a loop's iterations")                                                     \
  X(LAST, "last", INT64, "the last value")                                                                             \
  X(REAL_SUM, "real sum", DOUBLE, "of values")                                                                         \
  X(REAL_LAST, "real last", DOUBLE, "the last value")                                                                  \
  X(ENDED, "ended", UINT8, "1: the virtual thread has ended")


/* Kinds of dependences: the attribute `depend <kind> <n>` (UINT64) is an address, n counts from 1. X(constant, name) */
#define DEPEND_NAMES(X)                                                                                                \
  X(IN, "in")                                                                                                          \
  X(OUT, "out")                                                                                                        \
  X(INOUT, "inout")                                                                                                    \
  X(MUTEXINOUTSET, "mutexinoutset")                                                                                    \
  X(INOUTSET, "inoutset")                                                                                              \
  X(ALL_MEMORY, "all memory")                                                                                          \
  X(OTHER, "other")

/*
 * What regions there are: one entry a construct. A region's name is the construct's and, where it is known, NAME_AT and
 * the place: `!$omp for @lu.c:42`. X(constant, name, OTF2 role, description): what the description says is in FACTS;
 * an empty one is none.
 */
#define OPENMP_REGIONS(X) /* paradigm OPENMP; in Java the names begin with NAME_OMP_JAVA */                            \
  X(PARALLEL, "!$omp parallel", PARALLEL, "")                                                                          \
  X(TEAMS, "!$omp teams", PARALLEL, "")                                                                                \
  X(LOOP, "!$omp for", LOOP, "schedule: unknown")                                                                      \
  X(LOOP_STATIC, "!$omp for", LOOP, "schedule: static")                                                                \
  X(LOOP_DYNAMIC, "!$omp for", LOOP, "schedule: dynamic")                                                              \
  X(LOOP_GUIDED, "!$omp for", LOOP, "schedule: guided")                                                                \
  X(LOOP_OTHER, "!$omp for", LOOP, "schedule: other")                                                                  \
  X(DISTRIBUTE, "!$omp distribute", LOOP, "schedule: unknown")                                                         \
  X(TASKLOOP, "!$omp taskloop", LOOP, "schedule: unknown")                                                             \
  X(CHUNK, "chunk", LOOP, "")                                   /* inside its loop's */                                \
  X(SECTIONS, "!$omp sections", SECTIONS, "")                                                                          \
  X(SECTION, "!$omp section", SECTION, "")                                                                             \
  X(SINGLE, "!$omp single", SINGLE, "")                                                                                \
  X(SINGLE_SBLOCK, "!$omp single sblock", SINGLE_SBLOCK, "")    /* on the thread that executes it */                   \
  X(MASKED, "!$omp masked", MASTER, "")                                                                                \
  X(WORKSHARE, "!$omp workshare", WORKSHARE, "")                                                                       \
  X(SCOPE, "!$omp scope", WORKSHARE, "")                                                                               \
  X(BARRIER, "!$omp barrier", BARRIER, "")                                                                             \
  X(BARRIER_WAIT, "!$omp barrier wait", BARRIER, "")            /* inside the construct's: the part that waits */      \
  X(IMPLICIT_BARRIER, "!$omp implicit barrier", IMPLICIT_BARRIER, "")                                                  \
  X(IMPLICIT_BARRIER_WAIT, "!$omp implicit barrier wait", IMPLICIT_BARRIER, "") /* likewise, as those below */         \
  X(TASKWAIT, "!$omp taskwait", TASK_WAIT, "")                                                                         \
  X(TASKWAIT_WAIT, "!$omp taskwait wait", TASK_WAIT, "")                                                               \
  X(TASKGROUP, "!$omp taskgroup", FUNCTION, "")                                                                        \
  X(TASKGROUP_WAIT, "!$omp taskgroup wait", TASK_WAIT, "")                                                             \
  X(REDUCTION, "!$omp reduction", FUNCTION, "")                                                                        \
  X(REDUCTION_WAIT, "!$omp reduction wait", FUNCTION, "")                                                              \
  X(CRITICAL, "!$omp critical", CRITICAL, "")                                                                          \
  X(CRITICAL_SBLOCK, "!$omp critical sblock", CRITICAL_SBLOCK, "") /* the thread has it */                             \
  X(ORDERED, "!$omp ordered", ORDERED, "")                                                                             \
  X(ORDERED_SBLOCK, "!$omp ordered sblock", ORDERED_SBLOCK, "")                                                        \
  X(ATOMIC, "!$omp atomic", ATOMIC, "")                                                                                \
  X(SET_LOCK, "omp_set_lock", WRAPPER, "")                      /* until it has the lock */                            \
  X(TEST_LOCK, "omp_test_lock", WRAPPER, "")                    /* both tests begin with NAME_TEST_LOCK */             \
  X(SET_NEST_LOCK, "omp_set_nest_lock", WRAPPER, "")                                                                   \
  X(TEST_NEST_LOCK, "omp_test_nest_lock", WRAPPER, "")                                                                 \
  X(TASK, "!$omp task", TASK, "")                                                                                      \
  X(TASK_UNTIED, "!$omp task", TASK_UNTIED, "")                                                                        \
  X(CANCEL, "!$omp cancel", FUNCTION, "")                                                                              \
  X(FLUSH, "!$omp flush", FLUSH, "")                                                                                   \
  X(ERROR, "!$omp error", FUNCTION, "")                                                                                \
  X(CONTROL_TOOL, "omp_control_tool", FUNCTION, "")                                                                    \
  X(DOACROSS_SINK, "!$omp ordered depend(sink)", ORDERED, "")                                                          \
  X(DOACROSS_SOURCE, "!$omp ordered depend(source)", ORDERED, "")

#define TOOL_REGIONS(X) /* paradigm MEASUREMENT_SYSTEM */                                                              \
  X(TRACEFLUSH, "TRACEFLUSH", FUNCTION, "")                     /* the tool itself kept the thread */                  \
  X(SKIPPED, "skipped", ARTIFICIAL, "")                         /* a stretch of instances that were not recorded */    \
  X(SKIPPED_INSTANCES, "skipped instances", FUNCTION, "")       /* at its begin: which ones */                         \
  X(PROFILE_ROW, "profile row", FUNCTION, "")                   /* of zero length: sums of instances without events */

#define USER_REGIONS(X) /* paradigm USER; their names are the program's, this one where it is lost */                  \
  X(USER_REGION, "unnamed", CODE, "")                                                                                  \
  X(USER_PHASE, "unnamed", CODE, "")                            /* has the region flag PHASE */                        \
  X(USER_EVENT, "unnamed", CODE, "kind: event")

#define CALL_REGIONS(X) /* paradigm COMPILER; their names are the functions' names, this one where it is unknown */     \
  X(CALL, "[unknown]", FUNCTION, "")

#define KERNEL_REGIONS(X) /* paradigm MEASUREMENT_SYSTEM: the kernel gave the thread no processor; of a processor */    \
  X(OFF_PROCESSOR, "blocked in the kernel", ARTIFICIAL, "state: off")                                                  \
  X(NO_PROCESSOR, "waits for a processor", ARTIFICIAL, "state: ready")                                                 \
  X(ON_PROCESSOR, "thread", ARTIFICIAL, "")                     /* its name is the running thread's name */              \
  X(PROCESSOR_FREE, "no recorded thread", ARTIFICIAL, "state: idle")

#define PTHREAD_REGIONS(X) /* paradigm PTHREAD: waits of POSIX threads, and below what wakes threads, of zero length */ \
  X(PTHREAD_MUTEX, "pthread mutex", CRITICAL, "state: synch pthread mutex")                                            \
  X(PTHREAD_READ, "pthread rwlock read", CRITICAL, "state: synch pthread rwlock")                                      \
  X(PTHREAD_WRITE, "pthread rwlock write", CRITICAL, "state: synch pthread rwlock")                                    \
  X(PTHREAD_SPIN, "pthread spin lock", CRITICAL, "state: synch pthread mutex")                                         \
  X(PTHREAD_CONDITION, "pthread condition", THREAD_WAIT, "state: synch pthread condition")                             \
  X(PTHREAD_SEMAPHORE, "semaphore", THREAD_WAIT, "state: synch semaphore")                                             \
  X(PTHREAD_BARRIER, "pthread barrier", THREAD_WAIT, "state: synch pthread barrier")                                   \
  X(PTHREAD_JOIN, "pthread join", THREAD_WAIT, "state: synch join")                                                    \
  X(PTHREAD_ATOMIC, "atomic wait", THREAD_WAIT, "state: synch atomic wait") /* a futex: std::barrier, latch, atomic, ... */ \
  X(PTHREAD_START, "pthread start", THREAD_CREATE, "state: init") /* from pthread_create until the thread runs */      \
  X(PTHREAD_UNLOCK, "pthread unlock", FUNCTION, "")                                                                    \
  X(PTHREAD_SIGNAL, "pthread signal", FUNCTION, "")                                                                    \
  X(PTHREAD_BROADCAST, "pthread broadcast", FUNCTION, "")                                                              \
  X(PTHREAD_POST, "sem_post", FUNCTION, "")                                                                            \
  X(PTHREAD_ARRIVAL, "pthread last arrival", FUNCTION, "")      /* inside its own wait at the barrier */               \
  X(PTHREAD_END, "pthread end", FUNCTION, "")                   /* of a thread that another one joins */               \
  X(PTHREAD_NOTIFY_ONE, "atomic notify one", FUNCTION, "")                                                              \
  X(PTHREAD_NOTIFY_ALL, "atomic notify all", FUNCTION, "")                                                              \
  X(PTHREAD_CREATE, "pthread create", FUNCTION, "")                                                                    \
  X(PTHREAD_AT_ONCE, "pthread calls at once", FUNCTION, "")           /* how many calls did not wait: semaphores, ... */     \
  X(PTHREAD_COUNT, "pthread acquisitions", FUNCTION, "")        /* likewise, of mutexes, rwlocks and spin locks */

#define JAVA_REGIONS(X) /* paradigm PTHREAD */                                                                         \
  X(THREAD_START, "thread start", THREAD_CREATE, "state: init")                                                        \
  X(MONITOR_ENTER, "monitor enter", CRITICAL, "state: blocked in mutex")                                               \
  X(MONITOR_OWNER, "monitor owner", FUNCTION, "")               /* only in attributes */                               \
  X(PIN, "pin", FUNCTION, "")                                   /* likewise */                                         \
  X(MONITOR_HELD, "monitor held", FUNCTION, "")                                                                        \
  X(CLASS_INIT, "class initialization", CRITICAL, "state: blocked in mutex") /* until another thread has done it */     \
  X(JAVA_LOCK, "lock", CRITICAL, "state: blocked in mutex")                                                            \
  X(OBJECT_WAIT, "Object.wait", THREAD_WAIT, "state: blocked in condvar")                                              \
  X(PARK, "park", THREAD_WAIT, "state: blocked in condvar")                                                            \
  X(SLEEP, "Thread.sleep", THREAD_WAIT, "state: blocked in condvar")                                                   \
  X(JOIN, "Thread.join", THREAD_WAIT, "state: blocked in condvar")                                                     \
  X(SOCKET_READ, "socket read", THREAD_WAIT, "state: off for input and output")                                        \
  X(SOCKET_WRITE, "socket write", THREAD_WAIT, "state: off for input and output")                                      \
  X(ACCEPT, "accept", THREAD_WAIT, "state: off for input and output")                                                  \
  X(CONNECT, "connect", THREAD_WAIT, "state: off for input and output")                                                \
  X(SELECT, "select", THREAD_WAIT, "state: off for input and output")                                                  \
  X(FILE_READ, "file read", THREAD_WAIT, "state: off for input and output")                                            \
  X(FILE_WRITE, "file write", THREAD_WAIT, "state: off for input and output")                                          \
  X(LOOKUP, "host lookup", THREAD_WAIT, "state: off for input and output")                                             \
  X(IDLE, "idle", THREAD_WAIT, "state: idle")                                                                          \
  X(YIELD, "Thread.yield", FUNCTION, "state: spin")                                                                    \
  X(GC, "garbage collection", ARTIFICIAL, "state: gc")                                                                 \
  X(SYSTEM_GC, "System.gc", THREAD_WAIT, "state: gc")           /* and the collection that it asks for */               \
  X(ALLOCATION_STALL, "allocation stall", ARTIFICIAL, "state: gc")                                                     \
  X(SAFEPOINT, "safepoint", ARTIFICIAL, "state: off for a safepoint")                                                  \
  X(VIRTUAL_THREAD, "virtual thread", FUNCTION, "")                                                                    \
  X(NOTIFY, "notify", FUNCTION, "")                                                                                    \
  X(NOTIFY_ALL, "notifyAll", FUNCTION, "")                                                                             \
  X(INTERRUPT, "interrupt", FUNCTION, "")                                                                              \
  X(UNPARK, "unpark", FUNCTION, "")                                                                                    \
  X(START_THREAD, "Thread.start", FUNCTION, "")

/* The program's own, POSIX threads' and then Java's come last. */
#define REGIONS(X)                                                                                                     \
  OPENMP_REGIONS(X) TOOL_REGIONS(X) KERNEL_REGIONS(X) CALL_REGIONS(X) USER_REGIONS(X) PTHREAD_REGIONS(X) JAVA_REGIONS(X)

/* So begin names that are many. X(constant, text) */
#define NAME_BEGINS(X)                                                                                                 \
  X(ENV, "HEDDLE::ENV::")       /* properties of a location group; the name of an environment variable follows */      \
  X(LOCK, "HEDDLE::LOCK::")     /* likewise; the number of a lock follows, the value is its name */                    \
  X(SPECIFICATION, "HEDDLE::SPECIFICATION::") /* likewise; a specification's name follows, the value is its hash and   \
                                                 the version of Heddle that generated code from it */                  \
  X(BUILT, "heddle specification: ") /* a user event of generated code, which the archive has as that property: name, \
                                        hash and version follow */                                                     \
  X(SOCKET, "socket ")         /* object classes: of sockets; the address follows, and the object is the port */        \
  X(DEPEND, "depend")           /* attributes: of dependences */                                                       \
  X(DURATION, "shorter than 2^") /* likewise: numbers of instances by duration, in a profile */                        \
  X(SECTION_LOCK, "critical (") /* the lock of a critical section; its name and a bracket follow */

/* Attributes of events in calls.otf2, in the order in which they are defined; after them come the attributes of
 * NAME_DURATION. As ATTRIBUTES. */
#define CALL_ATTRIBUTES(X)                                                                                             \
  X(CALLS, "calls", UINT64, "calls of the context")                                                                    \
  X(INCLUSIVE, "inclusive", UINT64, "ticks from calls to returns, or up to the thread's end")                          \
  X(SELF, "self", UINT64, "the part in which neither a called function ran nor the thread waited")                     \
  X(BLOCKED, "blocked", UINT64, "the part in which the thread waited and no called function ran; absent: 0")           \
  X(SHORTEST, "shortest", UINT64, "ticks of the shortest call that returned")                                          \
  X(LONGEST, "longest", UINT64, "ticks of the longest call that returned")                                             \
  X(RUNNING, "running", UINT64, "calls that had not returned at the thread's end; absent: 0")                          \
  X(SITE, "called at", SOURCE_CODE_LOCATION, "the line of the call; absent: unknown, or there are several")

/* Names of paradigms. X(constant, text) */
#define PARADIGM_NAMES(X) X(CALLS, "Exact calls") /* of functions whose calls are recorded; and an interrupt generator */

/* In names of regions. X(constant, text) */
#define NAME_PARTS(X)                                                                                                  \
  X(OMP, "!$omp")               /* so begin the names of directives ... */                                             \
  X(OMP_JAVA, "//omp")          /* ... which are comments in Java */                                                   \
  X(AT, " @")                   /* between a construct and its place */                                                \
  X(WAIT_AT, " wait @")         /* the same, of a part that waits */                                                   \
  X(REDUCTION_JAVA, "//omp reduction") /* `!$omp reduction` there */                                                   \
  X(TEST_LOCK, "omp_test_")     /* so begin both routines that test a lock */                                          \
  X(POOL_TASK, "pool task")     /* in place of `//omp task`: a pool of Java's executed it ... */                       \
  X(POOL_JOIN, "pool join")     /* ... and of `//omp taskwait`: join(), get(), invoke() of ForkJoinTask */             \
  X(POOL_JOIN_WAIT, "pool join wait")                                                                                  \
  X(AUTO_LOOP, "auto-parallel loop")             /* in place of `!$omp parallel`: a compiler made it by itself ... */  \
  X(AUTO_ITERATIONS, "auto-parallel iterations") /* ... and in place of `!$omp for` */                                 \
  X(UNLOADED, "unknown place, library was unloaded") /* a place */

/* In the directory of a trace: ranks of a job still record into it, or it is being converted (analyzer/record/job.h). */
#define ARCHIVE_JOB "job"

/* In samples.otf2 and calls.otf2. X(constant, text) */
#define NAMES_OF_SAMPLES(X)                                                                                            \
  X(SAMPLING, "Sampling")       /* the paradigm of samples.otf2 */                                                     \
  X(TRIGGER_CPU, "cpu")         /* a trigger: a thread's processor time */                                             \
  X(TRIGGER_WAIT, "wait")       /* a trigger: waits that were long */                                                   \
  X(TRIGGER_FUTEX, "futex")     /* a trigger: a look at a thread that waits for a futex, */                            \
  X(TRIGGER_CALL, "syscall")    /* ... in another system call */                                                       \
  X(CODE_UNKNOWN, "[unknown]")  /* there, of code that is in no known file */                                          \
  X(METHOD_UNKNOWN, "[unknown method]") /* there, of Java */                                                           \
  X(CALLERS_UNKNOWN, "[callers unknown]") /* there, above a stack whose outermost callers are not known */

/* Properties of a calling context in samples.otf2: facts about machine code that ran, 1. X(constant, name) */
#define CONTEXT_PROPERTIES(X)                                                                                          \
  X(SPINS, "HEDDLE::SPINS")               /* it is in a loop that another thread's write alone ends */                 \
  X(ATOMIC, "HEDDLE::ATOMIC")             /* it is an atomic instruction, or follows one */                            \
  X(CALLS_KERNEL, "HEDDLE::CALLS_KERNEL") /* the instruction before it calls the kernel */                             \
  X(CALLS_FUTEX, "HEDDLE::CALLS_FUTEX")   /* ... for a futex: to wait, or to wake a thread that does */

/* Locations that are no threads, and their group. X(constant, text) */
#define NAMES_OF_LINES(X)                                                                                              \
  X(PROCESSOR, "processor") /* its number follows */                                                                   \
  X(PROCESSORS, "processors of the machine")

/*
 * Metrics: what threads read of their time without a processor, where context switches were not recorded. A Metric
 * event has the three of them, in this order. X(constant, name, OTF2 mode, unit, exponent of 10, description)
 */
#define METRICS(X)                                                                                                     \
  X(METRIC_OFF, "off the processor", RELATIVE_LAST, "s", -9, "time without a processor since the last reading")        \
  X(METRIC_READY, "waited for a processor", RELATIVE_LAST, "s", -9, "of this the time in which the thread could run")  \
  X(METRIC_SINCE, "since the last reading", ABSOLUTE_LAST, "ticks", 0, "length of the time that the others are of")

/* Facts in a region's description, `key: value` separated by `; `. X(constant, key) */
#define FACTS(X)                                                                                                       \
  X(SCHEDULE, "schedule") /* VALUE_SCHEDULE_... */                                                                     \
  X(BOUNDS, "bounds")     /* VALUE_BOUNDS_...: of a loop without chunks and count of iterations */                     \
  X(STATE, "state")       /* VALUE_STATE_...: what the thread is in; it goes before what role and name say */          \
  X(KIND, "kind")         /* VALUE_KIND_... */

/* Descriptions of attributes by which readers know them. X(constant, text) */
#define DESCRIPTIONS(X) X(USER_ATTRIBUTE, "of the program's own events") /* whose names may be any */

/* Texts that properties, attributes and facts have as values. X(constant, text) */
#define FACT_VALUES(X)                                                                                                 \
  X(SCHEDULE_UNKNOWN, "unknown")                                                                                       \
  X(SCHEDULE_STATIC, "static")                                                                                         \
  X(SCHEDULE_DYNAMIC, "dynamic")                                                                                       \
  X(SCHEDULE_GUIDED, "guided")                                                                                         \
  X(SCHEDULE_OTHER, "other")                                                                                           \
  X(BOUNDS_INLINE, "unknown, compiled inline")                                                                         \
  X(STATE_INIT, "init")                                                                                                \
  X(STATE_BLOCKED_MUTEX, "blocked in mutex")                                                                           \
  X(STATE_BLOCKED_CONDVAR, "blocked in condvar")                                                                       \
  X(STATE_IDLE, "idle")                                                                                                \
  X(STATE_SPIN, "spin")                                                                                                \
  X(STATE_GC, "gc")                                                                                                    \
  X(STATE_READY, "ready")                                                                                              \
  X(STATE_PTHREAD_MUTEX, "synch pthread mutex")                                                                        \
  X(STATE_PTHREAD_RWLOCK, "synch pthread rwlock")                                                                      \
  X(STATE_PTHREAD_CONDITION, "synch pthread condition")                                                                \
  X(STATE_SEMAPHORE, "synch semaphore")                                                                                \
  X(STATE_ATOMIC, "synch atomic wait")                                                                                 \
  X(STATE_PTHREAD_BARRIER, "synch pthread barrier")                                                                    \
  X(STATE_JOIN, "synch join")                                                                                          \
  X(STATE_OFF, "off")                                                                                                  \
  X(STATE_IO, "off for input and output") /* OFF, reported by the call that waits */                                   \
  X(STATE_SAFEPOINT, "off for a safepoint") /* OFF, reported by the JVM that stopped the thread */                     \
  X(KIND_EVENT, "event")
#define CLOSED_VALUES(X) /* of the attribute CLOSED */                                                                 \
  X(KILLED, "killed")       /* the process was killed, or used _exit */                                                \
  X(ENDED, "ended")         /* the process ended */                                                                    \
  X(CANCELLED, "cancelled") /* the region was cancelled */                                                             \
  X(LOST, "lost")           /* events were lost */                                                                     \
  X(UNMOUNTED, "unmounted") /* the carrier let go of a virtual thread; no loss */                                      \
  X(NOT_LEFT, "not left")   /* the program did not leave its own region */
#define CANCEL_VALUES(X) /* of the attribute CANCEL */                                                                 \
  X(PARALLEL, "parallel")                                                                                              \
  X(SECTIONS, "sections")                                                                                              \
  X(LOOP, "loop")                                                                                                      \
  X(TASKGROUP, "taskgroup")
#define ROW_VALUES(X) /* of the attribute ROW */                                                                       \
  X(ROW_CONSTRUCT, "construct")   /* instances of CONSTRUCT on this thread */                                          \
  X(ROW_MEMBER, "member")         /* the thread's parts of the region CONSTRUCT, up to its last barrier */             \
  X(ROW_ACQUIRE, "acquire")       /* waits for locks at CONSTRUCT */                                                   \
  X(ROW_HOLD, "hold")             /* from the acquisition there to the release; it has no self time */                 \
  X(ROW_OUTSIDE, "no construct")  /* the thread's time in no construct */                                              \
  X(ROW_OTHER, "others")           /* constructs for which the table had no room */                                     \
  X(ROW_TOOL, "the tool")         /* the tool kept the thread before it could begin */                                 \
  X(ROW_NOT_MEASURED, "not measured") /* measurement was switched off */                                                 \
  X(ROW_METRIC, "metric")         /* no construct's executions: METRIC says what */
#define METRIC_VALUES(X) /* of the attribute METRIC */                                                                 \
  X(METRIC_TASKS, "tasks made")     /* explicit tasks of CONSTRUCT */                                                  \
  X(METRIC_CHUNKS, "chunks")        /* of the loop CONSTRUCT */                                                        \
  X(METRIC_LOCK, "lock")            /* acquisitions of a lock at CONSTRUCT */                                          \
  X(METRIC_WAIT, "wait for object") /* Java's waits for an object at CONSTRUCT */                                      \
  X(METRIC_EVENT, "event")          /* events of the program's */                                                      \
  X(METRIC_VALUE, "value of event") /* values of such events */                                                        \
  X(METRIC_GC, "garbage collection")                                                                                   \
  X(METRIC_COST, "cost of measuring") /* what measuring took */                                                          \
  X(METRIC_OTHER, "other")
#define SAMPLE_VALUES(X) /* of the property SAMPLES_LOST_WHY: the thread, or the JVM, was */                            \
  X(SAMPLE_LATE, "at once with another")                /* the kernel's tick is longer than the period */               \
  X(SAMPLE_BUSY, "in the recorder")                                                                                    \
  X(SAMPLE_OFF, "not recorded")                         /* measurement was off, or a limit was reached */               \
  X(SAMPLE_NO_ROOM, "beyond the table of stacks")                                                                      \
  X(SAMPLE_NO_JAVA, "outside of Java")                  /* in the JVM or in native code, and no Java called it */       \
  X(SAMPLE_GC, "in garbage collection")                                                                                \
  X(SAMPLE_NATIVE, "in native code with no way back")                                                                  \
  X(SAMPLE_UNKNOWN, "between two methods")                                                                             \
  X(SAMPLE_UNWALKABLE, "in a frame being made")                                                                        \
  X(SAMPLE_EXIT, "ending")                                                                                             \
  X(SAMPLE_DEOPT, "in deoptimization")                                                                                 \
  X(SAMPLE_REFUSED, "refused by the JVM")                                                                              \
  X(SAMPLE_KERNEL, "beyond the kernel's buffers")       /* of native code */
#define PROPERTY_VALUES(X)                                                                                             \
  X(ENDED_UNKNOWN, "unknown")             /* killed, left by _exit, or executed another program; else as the recorder  \
                                             reported (raw_trace.h, `ended`), or one of these two: */                  \
  X(ENDED_SIGNAL, "signal")               /* `signal <n> (<name>)` */                                                  \
  X(ENDED_EXIT, "_exit, status")          /* `_exit, status <n>` */                                                    \
  X(RECORDING_NEVER, "never started")     /* recording began paused and remained so */                                 \
  X(PROFILE_BESIDE, "beside")             /* ... of PROFILE: both */                                                            \
  X(BUDGET_NONE, "none")                                                                                               \
  X(CLOCK_TSC, "tsc")                                                                                                  \
  X(CLOCK_MONOTONIC, "monotonic")                                                                                      \
  X(THREAD_INITIAL, "initial")            /* begins without a team */                                                  \
  X(THREAD_WORKER, "worker")              /* an OpenMP runtime's, or of a pool that executes parallel regions */       \
  X(THREAD_OTHER, "other")                                                                                             \
  X(THREAD_JAVA, "java")                                                                                               \
  X(THREAD_JAVA_DAEMON, "java daemon")                                                                                 \
  X(THREAD_JVM, "jvm")                    /* the JVM's own */                                                          \
  X(THREAD_JAVA_VIRTUAL, "java virtual")  /* a virtual thread in a deadlock, while it waits */

#define ARCHIVE_NAMES_TEXT(constant, text) __attribute__((unused)) static const char constant[] = text;
#define X(constant, name, ...) ARCHIVE_NAMES_TEXT(ARCHIVE_##constant, name)
ARCHIVE_PROPERTIES(X)
#undef X
#define X(constant, name, ...) ARCHIVE_NAMES_TEXT(PROCESS_##constant, name)
PROCESS_PROPERTIES(X)
#undef X
#define X(constant, name, ...) ARCHIVE_NAMES_TEXT(CONTEXT_##constant, name)
CONTEXT_PROPERTIES(X)
#undef X
#define X(constant, name, ...) ARCHIVE_NAMES_TEXT(LOCATION_##constant, name)
LOCATION_PROPERTIES(X)
#undef X
#define X(constant, name, ...) ARCHIVE_NAMES_TEXT(NAME_OF_##constant, name)
ATTRIBUTES(X)
#undef X
#define X(constant, name, ...) ARCHIVE_NAMES_TEXT(CALL_NAME_OF_##constant, name)
CALL_ATTRIBUTES(X)
#undef X
#define X(constant, name, ...) ARCHIVE_NAMES_TEXT(REGION_##constant, name)
REGIONS(X)
#undef X
#define X(constant, text, ...) ARCHIVE_NAMES_TEXT(NAME_##constant, text)
NAME_BEGINS(X)
NAME_PARTS(X)
PARADIGM_NAMES(X)
NAMES_OF_LINES(X)
NAMES_OF_SAMPLES(X)
METRICS(X)
#undef X
#define X(constant, text) ARCHIVE_NAMES_TEXT(FACT_##constant, text)
FACTS(X)
#undef X
#define X(constant, text) ARCHIVE_NAMES_TEXT(DESCRIPTION_##constant, text)
DESCRIPTIONS(X)
#undef X
#define X(constant, text) ARCHIVE_NAMES_TEXT(VALUE_##constant, text)
FACT_VALUES(X)
ROW_VALUES(X)
METRIC_VALUES(X)
SAMPLE_VALUES(X)
PROPERTY_VALUES(X)
#undef X
#define X(constant, text) ARCHIVE_NAMES_TEXT(VALUE_CLOSED_##constant, text)
CLOSED_VALUES(X)
#undef X

#endif
/* clang-format on */
