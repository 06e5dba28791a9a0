/* clang-format off */ /* the lists keep their lines */
/*
 * The raw trace: what is loaded into a program writes it, the converter reads it, and nothing else stands between
 * the two. This header is the format: definitions and their meaning, no code but the packing of one word.
 *
 * A trace directory
 *     <trace>/raw/<host>.<pid>.<start>/     one process image (a fork's child and an exec's new image have their own)
 *         process                           text: what the process is (see "The process file")
 *         windows                           the windows of the recorder's slots: unfinished chunks
 *         chunks-<k>.log                    finished chunks, of any threads
 *         calls                             exact call graphs (raw_calls.h), if they were asked for
 *         control, allocated, samples       requests to the process, if it takes some; counts (all live_control.h)
 *         jvm.log, jvm.log.0                what the JVM says of safepoints and allocation stalls: its own log, with the
 *                                           decorators timenanos and tid; the latter is what was full before
 *
 * Windows and chunks
 *     Threads are numbered from 0 in the order of their first events. A thread fills a window, a shared mapping of a
 *     part of `windows`. A full window is written to a log as one chunk (its header and `used` bytes of records) and
 *     then reused. Both begin with struct raw_header. In all these files headers stand at multiples of the window size,
 *     and nowhere else; there may be holes between them. The window size is the same for the whole process.
 *       - Sequence numbers of a thread start at 1 and grow by one a chunk; the number of a lost chunk is skipped.
 *       - With a ring (ring_slots > 0), chunk s of a thread takes the place of chunk s - ring_slots, which is gone.
 *       - chunks-0.log begins with a header that is nobody's: `not_measured` counts events of threads that had ended for us,
 *         or were not given a window. No log has a chunk at 0.
 *       - A number with RAW_PROFILE_OF is no thread: it is the profile of the thread with the number without it (see
 *         "Profiles").
 *       - A window whose owner is (thread, sequence) holds that chunk; where a log has it, too, the window's copy
 *         counts (the log's may be torn). A window with owner 0 belongs to nobody: all it held is in a log.
 *
 * Records
 *     A record is 2 or more 8-byte words in the byte order of the recording machine. Word 0 is the head:
 *         bits 56..63 kind (never 0)   bits 48..55 detail   bits 0..47 value
 *     Word 1 is the time in clock ticks. How many words follow, and what they mean, depends on the kind. The writer
 *     stores the other words first, then a zero word behind the record, then the head (release). So a window always
 *     ends in a zero head, and a record whose head is not zero is whole. Short records have one word: records that the
 *     chunk has already, at another time. See "Short records". Ticks never decrease within a thread. The newest record
 *     of a thread may still change where its kind says so.
 *
 * The process file
 *     Lines `key: value`, appended as facts become known; later lines win where a key is single. In values, bytes
 *     below 0x20, 0x7f and '\' are written \xHH. A missing last newline marks a torn line: ignore it.
 *         heddle-raw: 4                      format version; the first line
 *         tool: ompt | jvmti | user | pthread | calls     may occur again (one process, several tools)
 *         runtime: <text>                    runtime name and version as it gave them, and RAW_RUNTIME_WITH_TOOLS if it is
 *                                            a libgomp without libheddle-gomp.so's help
 *         host: <name>
 *         pid: <n>
 *         ppid: <n>                          of the parent
 *         start: <ns>                        CLOCK_REALTIME
 *         start-jiffies: <n>                 start time of /proc/<pid>/stat, and ...
 *         boot-id: <text>                    ... they distinguish a live process from a dead one
 *         began: <ns>                        CLOCK_MONOTONIC: so long before this line as the process had worked
 *                                            then. Absent: recording began later
 *         exe: <path>
 *         arg: <text>                        of the command line: one line an argument
 *         cwd: <path>
 *         env: NAME=value                    of the environment: known names (process_file.c)
 *         processors: <n>                    that the process could use at its begin (its affinity). Absent: not known:
 *                                            libheddle-pthread.so is not loaded, and the environment asks the runtime to
 *                                            bind threads, which may have happened
 *         cpu-limit: <quota us> <period us> <throttled us>     limit of the control group, at the begin and at the end.
 *                                            Absent: it has none
 *         stolen: <taken> <of>               processor time of the machine that a hypervisor took, since the machine's
 *                                            start, as /proc/stat counts; at the begin and at the end. Absent: none can
 *         clock: tsc | monotonic             what ticks are: the processor's counter, or nanoseconds of CLOCK_MONOTONIC
 *         clock-why: <text>                  why, as a part of a sentence
 *         anchor: <ticks> <monotonic ns> <realtime ns> <width>     readings of one moment, which is known to `width` ticks:
 *                                            at the begin, at the end, and up to ten a second in between. Between two of
 *                                            them time goes on evenly, unless the counter jumped. The width may be absent: 0
 *         modules: <from> <begun> <ended> <told | seen | n | ->     see "Modules"
 *         module: <ticks> <base> <start> <end> <build-id or -> <path>     hex addresses
 *         gone: <start>
 *         window-size: <bytes>
 *         ring-slots: <n>                    0: no ring
 *         counters: <text>                   HEDDLE_COUNTERS (counter_list.h); its names in the order of RAW_COUNTERS
 *         counter-ticks: <n>                 ticks that a reading of them takes, measured in the process
 *         counters-lost: <n> <reason>        threads that were not counted, or not to their end
 *         profile: sums                      the records count in the profiles beside them alone
 *         budget: <text>                     HEDDLE_BUDGET, as "5 %", "1/64" or "none"
 *         live: 1                            HEDDLE_LIVE: events are written while a trace is asked for; their sums always
 *         record-ticks: <n>                  ticks that emitting 256 records takes, measured in the process
 *         parent: <directory name of the parent's process directory>      after fork
 *         class: <id> <name>                 a Java class, as java.util.HashMap; ids count from 1
 *         place: <id> <caller> <line> <class> <method> <file>     where Java code was; caller: the place that called
 *                                            it, 0 not known; line 0 and file - where not known; ids count from 1. Here
 *                                            spaces in names are written \x20. Each is in the file before a record
 *                                            uses it
 *         field: <object> <class> <field>    an object was found in this field, as com.acme.Server and lock, when a
 *                                            thread first waited for it. field[]: in an array; object as in records, in
 *                                            hexadecimal digits
 *         stuck: <ticks> <thread> <enum raw_block> <place> <object> <owner> <owner's place>
 *                                            a Java thread waits at that time, so long that it may be for ever.
 *                                            Threads by Thread.getId(); places and object in hex, as in a record. The
 *                                            last line of a thread counts, and only if its wait has no end. But each
 *                                            line of RAW_BLOCK_CLASS counts: that wait has no records, and is as long
 *                                            as the kernel says. A line with 0 for enum raw_block: it has ended.
 *         waiting: <ticks> <until> <thread> <enum raw_block> <place> <object>
 *                                            a Java thread that is older than the recording waited from its begin until
 *                                            then. Or it ran (0 for enum raw_block). The rest is as in a line `stuck`
 *         java-sampling: <ns>                of its own processor time after which a Java thread is sampled. Absent: none is
 *         call: <id> <caller> <place>        a call that samples found, from the id `caller`: 0 none, RAW_CALL_CUT: from
 *                                            calls that are not known; else a smaller id. Place 0: not known. Ids count
 *                                            from RAW_CALL_FIRST; some are nobody's. It may come after records with it
 *         java-samples: <due> <taken> <n>... samples that were due and taken so far, then the lost ones for each enum
 *                                            raw_sample_lost in turn. The last line counts
 *         timer-samples: <busy> <late> <off> <threads>     lost samples of timers, because an event was recorded,
 *                                            several were due at once, or nothing was recorded; and number of threads
 *                                            without a timer
 *         name: <id> <text>                  a name that the program gave (heddle.h); ids count from 1; likewise
 *         lock: <inode> local | shared       while the process lives, it holds a lock (flock) on this file, of that
 *                                            inode; local: the file system cannot be mounted by another machine.
 *                                            Absent: no lock
 *         pid-namespace: <n>                 that pid is of
 *         threads-lost: <n> <reason>         threads that could not be given a window
 *         chunks-lost: <n> <reason>          chunks that could not be written
 *         events-lost: <n>                   likewise, where chunks-0.log has no such header
 *         limit: HEDDLE_MAX_SIZE reached     recording stopped at the size limit
 *         ended: <ticks> <how>               exit | detached (the process goes on); absent when the process was killed
 *                                            or used _exit
 *
 * Modules
 *     A line `modules` begins a listing, which was made between two ticks, begun and ended. What follows it, up to the
 *     next such line, came or went since `from`, when the listing before it was begun:
 *         module    is loaded; its ticks are `ended`, or 0: it came with the program and stays as long as it
 *         gone      the module that was listed last with this start is not loaded any more
 *     The last word of `modules` says how much the listing knows:
 *         told      of every dlclose: each library that the program unloads is listed before it goes
 *         seen      of all code: each library was listed before a record had code of it; code that could not be is 0
 *         <n>       so many libraries came since the last listing with a number and went before they were listed
 *         -         neither
 */
/* clang-format on */
#ifndef HEDDLE_COMMON_RAW_RAW_TRACE_H
#define HEDDLE_COMMON_RAW_RAW_TRACE_H

#include "common/budget/mix.h"

#include <stdint.h>

#define RAW_JVM_LOG_FILE "jvm.log"
#define RAW_VERSION      4u
#define RAW_MAGIC        0x3157415244444548ull /* "HEDDRAW1", little endian */

/* Header of a window and of a chunk; 64 bytes. */
struct raw_header {
  uint64_t magic;        /* RAW_MAGIC */
  uint32_t version;      /* RAW_VERSION */
  uint32_t window_size;  /* bytes of a whole window, this header included; the most a chunk can have */
  uint64_t owner;        /* thread << 32 | sequence; 0: nobody's */
  uint64_t used;         /* bytes of records. In a window that is being filled 0; with RAW_UNTRACED: so many are of
                            chosen constructs, and no others count as traced */
  uint64_t anchor_ticks; /* the clock when this chunk was begun ... */
  uint64_t anchor_ns;    /* ... and CLOCK_MONOTONIC about then, in ns; no record of the chunk is earlier */
  uint64_t not_measured; /* events of this thread that interrupted its own recording and were not recorded, so far */
  uint32_t ring_slots;   /* 0: the log has all chunks */
  uint32_t lost_after;   /* events lost behind the last record, because recording had stopped by then (size limit) */
};

#define RAW_PROFILE_OF (1u << 31) /* in a thread number; there is one chunk, with sequence number 1 */

/* In lost_after: there were events behind the last record, none of them lost, because measurement was switched off. */
#define RAW_PAUSED_AFTER (1u << 31)
/* In lost_after: the records count in the thread's profile alone, except records of its life (raw_is_of_life), because
 * no trace was asked for (HEDDLE_LIVE). */
#define RAW_UNTRACED  (1u << 30)
#define RAW_LOST_MOST (RAW_UNTRACED - 1) /* the rest of lost_after */

#define RAW_VALUE_BITS 48
#define RAW_VALUE_MASK ((1ull << RAW_VALUE_BITS) - 1)

static inline uint64_t raw_head(unsigned kind, unsigned detail, uint64_t value)
{
  return (uint64_t)kind << 56 | (uint64_t)(detail & 0xff) << 48 | (value & RAW_VALUE_MASK);
}

/*
 * Ids of parallel regions and explicit tasks: 48 bits, never used again. block << RAW_ID_BLOCK_SHIFT | serial. A thread
 * takes a block for itself (RAW_ID_BLOCK_TAKEN says so before the first id of it is used), so an id names its creator.
 * Block 0 is never given out; its serials are these:
 */
#define RAW_ID_BLOCK_SHIFT 24
#define RAW_ID_NONE        0ull /* no task, no region */
#define RAW_ID_IMPLICIT    1ull /* the implicit (or initial) task that the thread is in */

/*
 * "code" in a record is where a construct is: a return address in the program, or a place of the process file (Java).
 * It may also be the second byte of the function that the compiler outlined from the construct; no call returns there.
 * Addresses of programs are below 2^47.
 */
#define RAW_CODE_PLACE (1ull << 47) /* RAW_CODE_PLACE | <id of a place> */
/* In lists of codes, not in records: RAW_CODE_USER | <id of a name of the program's own> */
#define RAW_CODE_USER ((uint64_t)1 << 63)

/* A place in this method: a thread of an executor waits there for work. The agent chooses it, the converter knows it.
 */
#define RAW_IDLE_CLASS  "java.util.concurrent.ThreadPoolExecutor"
#define RAW_IDLE_METHOD "getTask"

/* Ids of calls of Java code that are none: see `call` above. */
#define RAW_CALL_CUT   1u
#define RAW_CALL_FIRST 2u

/* Why a sample of a Java thread was not taken. */
enum raw_sample_lost {
  RAW_SAMPLE_LATE,       /* several were due at once: the kernel looks at the processor time once a tick */
  RAW_SAMPLE_BUSY,       /* it interrupted the recording of an event */
  RAW_SAMPLE_OFF,        /* nothing was recorded: measurement was off, or a limit was reached */
  RAW_SAMPLE_NO_ROOM,    /* there were too many different stacks */
  RAW_SAMPLE_NO_JAVA,    /* the thread was in code of the JVM or native code that no Java called */
  RAW_SAMPLE_GC,         /* the JVM did not walk the stack: it collected garbage, ... */
  RAW_SAMPLE_NATIVE,     /* ... the thread was outside of Java, where the way back is not known, ... */
  RAW_SAMPLE_UNKNOWN,    /* ... in code between two methods, as a prologue, ... */
  RAW_SAMPLE_UNWALKABLE, /* ... in a frame that was just made, ... */
  RAW_SAMPLE_EXIT,       /* ... ending, ... */
  RAW_SAMPLE_DEOPT,      /* ... turning compiled code into interpreted, ... */
  RAW_SAMPLE_REFUSED,    /* ... or for another reason */
  RAW_SAMPLE_REASONS
};

/* Behind the runtime's name and version in the process file: for readers, too. */
#define RAW_RUNTIME_WITH_TOOLS "; libgomp starts tools itself, libheddle-gomp.so stands back"

/*
 * Record kinds. The list is the format: kind, its number, how many words in all (0: 2 + detail * RAW_EXTRA words).
 * Enumerations of OpenMP (sync, mutex, work, ...) keep OMPT's numbers. What other runtimes do (JOMP, ...) is recorded
 * with OpenMP's records where it means the same.
 */
/* clang-format off */
#define RAW_KINDS(X)                                                                                                   \
  /* Any source. */                                                                                                    \
  X(RAW_THREAD_BEGIN, 1, 2)  /* detail: ompt_thread_t, or 0; value: the kernel's thread id */                          \
  X(RAW_THREAD_END, 2, 2)    /* */                                                                                     \
  X(RAW_THREAD_NAME, 3, 4)   /* words 2-3: name as set with pthread_setname_np, zero padded */                         \
  X(RAW_STALL, 4, 3)         /* the tool itself kept the thread from word 2 (ticks) to word 1: TRACEFLUSH */           \
  X(RAW_GAP, 5, 3)           /* nothing was recorded from word 2 to word 1; detail: enum raw_gap; value: events lost */ \
  X(RAW_ID_BLOCK_TAKEN, 6, 2) /* value: block number; ids of it are this thread's creations. Again in each chunk */    \
  X(RAW_NEEDS, 11, 3)        /* from word 2 on only some groups of events are recorded; value: LIVE_NEED_...           \
                                (live_control.h) */                                                                    \
  X(RAW_THREAD_TEXT, 7, 0)   /* detail: elements; value: bytes | enum raw_text << 16; then UTF-8, zero padded */       \
  /* OpenMP. */                                                                                                        \
  X(RAW_PARALLEL_BEGIN, 16, 3) /* detail: enum raw_parallel; value: code; word 2: id | requested size << 48 */         \
  X(RAW_PARALLEL_END, 17, 2)   /* detail: enum raw_parallel; value: id */                                              \
  X(RAW_IMPLICIT_BEGIN, 18, 3) /* detail: 1 initial, 2 implicit; value: parallel id; word 2: index << 32 | team size */ \
  X(RAW_IMPLICIT_END, 19, 2)   /* detail as in BEGIN. A worker's comes late: see otf2-convert */                       \
  X(RAW_WORK_BEGIN, 20, 3)     /* detail: ompt_work_t; value: code; word 2: count (iterations, sections, ...) */       \
  X(RAW_WORK_END, 21, 2)       /* detail: ompt_work_t */                                                               \
  X(RAW_CHUNK, 22, 2)          /* detail: ompt_dispatch_t; value: first (32 bits, signed) << 16 | iterations */        \
  X(RAW_CHUNK_WIDE, 23, 4)     /* the same, word 2: first, word 3: iterations */                                       \
  X(RAW_SECTION, 24, 2)        /* value: code of the section */                                                        \
  X(RAW_SYNC_BEGIN, 25, 2)     /* detail: ompt_sync_region_t; value: code */                                           \
  X(RAW_SYNC_END, 26, 2)       /* detail: ompt_sync_region_t */                                                        \
  X(RAW_WAIT_BEGIN, 27, 2)     /* detail: ompt_sync_region_t; inside SYNC_BEGIN and SYNC_END */                        \
  X(RAW_WAIT_END, 28, 2)       /* detail: ompt_sync_region_t. A worker's at a region's end comes late, too */          \
  X(RAW_REDUCTION_BEGIN, 29, 2) /* value: code */                                                                      \
  X(RAW_REDUCTION_END, 30, 2)  /* */                                                                                   \
  X(RAW_MUTEX_ACQUIRE, 31, 3)  /* detail: ompt_mutex_t; value: wait id; word 2: code */                                \
  X(RAW_MUTEX_ACQUIRED, 32, 2) /* detail: ompt_mutex_t; value: wait id */                                              \
  X(RAW_MUTEX_RELEASED, 33, 2) /* detail: ompt_mutex_t; value: wait id */                                              \
  X(RAW_LOCK_INIT, 34, 3)      /* detail: ompt_mutex_t; value: wait id; word 2: code */                                \
  X(RAW_LOCK_DESTROY, 35, 2)   /* detail: ompt_mutex_t; value: wait id */                                              \
  X(RAW_NEST_BEGIN, 36, 2)     /* a nest lock that the thread has already is taken again; value: wait id */            \
  X(RAW_NEST_END, 37, 2)       /* ... and released, but for the last time; value: wait id */                           \
  X(RAW_MASKED_BEGIN, 38, 2)   /* value: code */                                                                       \
  X(RAW_MASKED_END, 39, 2)     /* */                                                                                   \
  X(RAW_TASK_CREATE, 40, 3)    /* detail: enum raw_task; value: code; word 2: id */                                    \
  X(RAW_TASK_DEPENDENCES, 41, 0) /* detail: how many; value: task id; then detail times { ompt_dependence_type_t,      \
                                    address or iteration } */                                                          \
  X(RAW_TASK_SWITCH, 42, 2)    /* detail: status of the current task (ompt_task_status_t); value: id of the next */    \
  X(RAW_TASK_STATUS, 43, 3)    /* the same for a task that need not be the current one; word 2: its id */              \
  X(RAW_TASK_PAIR, 44, 3)      /* unresolved dependence; value: id of the source; word 2: id of the sink */            \
  X(RAW_CANCEL, 45, 2)         /* detail: ompt_cancel_flag_t; value: code */                                           \
  X(RAW_FLUSH, 46, 2)          /* the flush construct; value: code */                                                  \
  X(RAW_CONTROL, 47, 3)        /* omp_control_tool; value: command; word 2: modifier */                                \
  X(RAW_ERROR, 48, 2)          /* the error directive; detail: ompt_severity_t; value: code */                         \
  X(RAW_DOACROSS, 49, 0)       /* an ordered(n) wait or post; laid out as TASK_DEPENDENCES, value: 0 */                \
  X(RAW_BARRIER_BEGIN, 50, 2)  /* SYNC_BEGIN and WAIT_BEGIN in one: same detail, SYNC_BEGIN's value. The newest        \
                                  SYNC_BEGIN may become one, and the newest WAIT_END a BARRIER_END */                  \
  X(RAW_BARRIER_END, 51, 2)    /* WAIT_END and SYNC_END in one */                                                      \
  X(RAW_DOACROSS_WAIT, 54, 2)  /* an ordered(n) wait begins, and the next DOACROSS of a sink ends it; value: code. Of  \
                                  some runtimes the DOACROSS is all that is known */                                   \
  /* Omitted instances (HEDDLE_BUDGET). The newest of these may grow; if several OMITTED are in a row, all may. */     \
  X(RAW_CHUNKS, 52, 5) /* several chunks of a loop in turn; detail: ompt_dispatch_t; word 2: first iteration of the    \
                          first; word 3: iterations of all; word 4: how many they are */                               \
  X(RAW_OMITTED, 53, 6) /* instances of a construct that were not recorded; detail: enum raw_omitted; value: code;     \
                           word 1: end of the last; word 2: begin of the first; word 3: how many ended, and in bits    \
                           48..63 how many of them came after word 1; word 4: ticks that the thread was in them;       \
                           word 5: their chunks and sections */                                                        \
  /* Java. "object": class id << 32 | identity hash, 0 none. */                                                        \
  X(RAW_JAVA_THREAD, 64, 3)    /* detail: enum raw_java_thread; value: Thread.getId; word 2: ticks of its start() */   \
  X(RAW_JAVA_START, 65, 3)     /* Thread.start; value: code; word 2: Thread.getId of the new thread; detail 1: a       \
                                  virtual one */                                                                       \
  X(RAW_BLOCK_BEGIN, 66, 3)    /* detail: enum raw_block; value: code or 0; word 2: object */                          \
  X(RAW_BLOCK_END, 67, 3)      /* detail: enum raw_block | RAW_BLOCK_...; value: code or 0: of BEGIN if it had none;   \
                                  word 2: object, 0: as BEGIN has it */                                                \
  X(RAW_BLOCK_OWNER, 68, 3)    /* inside a BLOCK: who has the monitor; value: code of the owner or 0; word 2: its id */ \
  X(RAW_JAVA_NOTE, 69, 3)      /* detail: enum raw_note; value: code or 0; word 2: object, or a thread's id */         \
  X(RAW_SPIN, 70, 4)           /* yielded from word 2 (ticks) to word 1, word 3 times; value: code or 0. May grow */   \
  X(RAW_GC_BEGIN, 71, 2)       /* a pause of all threads of the JVM for garbage collection */                          \
  X(RAW_GC_END, 72, 2)         /* */                                                                                   \
  X(RAW_VIRTUAL_MOUNT, 73, 3)  /* this carrier runs a virtual thread from now on; word 2: its Thread.getId */          \
  X(RAW_VIRTUAL_UNMOUNT, 74, 3) /* ... until now; detail 1: for ever, as it has ended */                               \
  X(RAW_JAVA_SAMPLE, 75, 2)    /* the thread was found in a call: value: its number (`call`). No construct's border */ \
  X(RAW_BLOCK_PINNED, 76, 2)   /* inside a BLOCK of a virtual thread, which kept its carrier: value: code of what pins */ \
  /* The program's own (heddle.h). "name": id of a name of the process file; 0 not known. */                           \
  X(RAW_USER_ENTER, 96, 2)     /* value: name */                                                                       \
  X(RAW_USER_LEAVE, 97, 2)     /* value: name */                                                                       \
  X(RAW_USER_PHASE, 98, 2)     /* value: name; 0: the phase before ends, and none begins */                            \
  X(RAW_USER_EVENT, 99, 0)     /* detail: how many attributes; value: name; then detail times                          \
                                  { name | enum raw_user_type << 48, int64_t or double } */                            \
  X(RAW_USER_CONTROL, 100, 2)  /* the program switched measurement on (detail 1) or off (0) */                         \
  /* Functions of instrumented code (HEDDLE_CALLS=trace); value: the second byte of the function. */                     \
  X(RAW_CALL_ENTER, 101, 2)                                                                                            \
  X(RAW_CALL_LEAVE, 102, 2)    /* it returns, or was left */                                                           \
  /* Omitted instances, once more: locks, tasks, waits and notes of Java, and the program's own. */                    \
  X(RAW_WEIGHT, 55, 2)         /* of the next record of the kind that is the detail: value: it stands for so many      \
                                  instances, itself and those omitted before it since the last one of its place */     \
  X(RAW_COUNTED, 56, 3)        /* value: code; word 2: instances omitted since the last recorded one; detail: the      \
                                  kind that would have begun them; bits 48..55 of word 2: its detail */                \
  X(RAW_COUNTED_OF, 61, 2)     /* the next COUNTED is of another thread; value: Java's id of it */                     \
  /* A profile (HEDDLE_PROFILE): sums in place of events. See "Profiles". */                                           \
  X(RAW_PROFILE_THREAD, 57, 4) /* value: number in its first team + 1, 0 none. Word 2: ticks up to which the rows have \
                                  the thread's time; word 3: the row that the thread is in, counted from 0 */          \
  X(RAW_PROFILE_ROW, 58, 49)   /* detail: enum raw_row << 4 | OMPT's number of that kind; value: code; then the words  \
                                  of enum raw_row_word, but for the last */                                            \
  X(RAW_PROFILE_TEAM_ROW, 59, 50) /* the same, of what the thread did as a member of a team */                         \
  X(RAW_PROFILE_METRIC, 60, 12) /* detail: enum raw_metric << 4 | number; value: code or name; then the words of enum  \
                                   raw_metric_word */                                                                  \
  /* POSIX and C11 threads. "object": address of a mutex, ...; JOIN: the pthread_t. See "Waits of POSIX threads". */     \
  X(RAW_PTHREAD_WAIT, 80, 4)   /* a wait begins; detail: enum raw_pthread; value: code of the call; word 2: object;    \
                                  word 3: kernel's thread id of the owner, JOIN: of the thread that is waited for,     \
                                  0 not known; CONDITION: address of the mutex */                                      \
  X(RAW_PTHREAD_WAITED, 81, 3) /* ... and ends; detail: enum raw_pthread | RAW_PTHREAD_...; value: 0; word 2: object */ \
  X(RAW_PTHREAD_WAKE, 82, 3)   /* a release or a wake while somebody waits, perhaps for another object; detail: enum   \
                                  raw_pthread_wake; value: code, 0 not known; word 2: object. Of several unlocks of a  \
                                  thread between which no wait began or ended only the first */                        \
  X(RAW_PTHREAD_RELEASED, 83, 2) /* the thread releases what it got after a wait; detail: enum raw_pthread; value:     \
                                    object */                                                                          \
  X(RAW_PTHREAD_OBJECT, 84, 4) /* a life of an object, before the first WAIT for it in this life; detail: enum         \
                                  raw_pthread; value: code of the call that initialized it, 0 not known (a static      \
                                  initializer); word 2: object; word 3: it is the so many-th that this code            \
                                  initialized, from 1 on, 0 not known */                                               \
  X(RAW_PTHREAD_GONE, 85, 2)   /* ... ends; detail: enum raw_pthread; value: object */                                 \
  X(RAW_PTHREAD_COUNT, 86, 4)  /* detail: enum raw_pthread; value: code; word 2: object, 0 several; word 3: how many   \
                                  acquisitions of this thread waited for nobody since the last such record;            \
                                  with RAW_PTHREAD_FAILED: how many tries of the program failed */                     \
  X(RAW_PTHREAD_CREATE, 87, 3) /* value: code of the call; word 2: number of the new thread, from 1 on */              \
  X(RAW_PTHREAD_START, 88, 3)  /* such a thread's first record after THREAD_BEGIN; value: code of its start function;  \
                                  word 2: its number */                                                                \
  /* Any source, where nobody asks the kernel for context switches (kernel_log.h). */                                  \
  X(RAW_READING, 8, 4)         /* how long the thread had no processor since its last reading; value: ticks since then. \
                                  Word 2: ns without a processor; word 3: ns of these in which it could have run */    \
  /* Any source. */                                                                                                    \
  X(RAW_THREAD_BOUND, 9, 0)    /* the processors on which the thread may run from now on, where these are not all;     \
                                  detail times { number n of a processor, bit k: also n + k }; none: it may on all */  \
  X(RAW_COUNTERS, 10, 0)       /* what was counted for the thread since its first such record, with HEDDLE_COUNTERS;   \
                                  detail times { count, 0 or, where the processor had no counter for it all the time   \
                                  since the last record, for how many of 1024 parts: then the count is scaled up } */ \
  /* POSIX and C11 threads again. */                                                                                    \
  X(RAW_PTHREAD_HELD, 89, 3)   /* an acquisition that waited for nobody, with HEDDLE_PTHREAD=all; detail: enum         \
                                  raw_pthread, perhaps with RAW_PTHREAD_TRIED or RAW_PTHREAD_AGAIN; value: code; word  \
                                  2: object */                                                                         \
  /* Any source, with HEDDLE_WAIT_STACKS. */                                                                           \
  X(RAW_STACK, 90, 0)          /* where the thread was, and a copy of its stack. See "Stacks" */                       \
  /* The last of this list: others of this chunk again. See "Short records". */                                        \
  X(RAW_SHORT, 110, 1)                                                                                                 \
  X(RAW_SHORT_MOVED, 111, 1)                                                                                           \
  X(RAW_SHORT_LOCK, 112, 1)                                                                                            \
  X(RAW_SHORT_ACQUIRED, 113, 1)
/* clang-format on */

#define RAW_EXTRA 2 /* words an element of a record of variable length */

enum raw_kind {
#define X(name, number, words) name = number,
  RAW_KINDS(X)
#undef X
};

/*
 * Short records, of one word. A program executes the same constructs again and again. Most records differ from an
 * earlier one only in their time, or also in an id that grows.
 *
 * A record of a kind with raw_has_short() becomes an entry of its chunk, in place of an earlier record there. Which of
 * the RAW_ENTRIES that is says raw_entry_of() of the part that stays (raw_record.h). All of a record but its time
 * stays, except in the kinds below, where one part moves:
 *     PARALLEL_BEGIN, TASK_CREATE, WORK_BEGIN       word 2; the value stays
 *     PARALLEL_END, CHUNK                           the value
 *     TASK_SWITCH                                   the value, unless it is below RAW_MOVING_IDS: then all stays
 *     IMPLICIT_BEGIN                                the value; index << 24 | team size stay in its place. If one of
 *                                                   them is not below 2^24, all stays
 *     MUTEX_ACQUIRE                                 the value; word 2 stays in its place. For a monitor all stays
 *
 * Bits 56..63 are the kind, the ticks those since the newest record of such a kind, short or not, in the chunk:
 *     RAW_SHORT           repeats the record of an entry. 55 RAW_SHORT_BOTH, 46..54 entry, 0..45 ticks.
 *     RAW_SHORT_MOVED     the same, moved, and so is the entry. 55 zero, 46..54 entry, 30..45 by how much, 0..29 ticks.
 *                         The part grows by a signed number of 16 bits; in MUTEX_ACQUIRE by 4 times as much. In CHUNK
 *                         the first iteration grows by one of 11 (bits 35..45), the number of iterations by one of 5.
 *     RAW_SHORT_ACQUIRED  RAW_SHORT_MOVED of a MUTEX_ACQUIRE, and the MUTEX_ACQUIRED of that lock right after it.
 *                         0..19 ticks, 20..29 ticks from the one to the other. Ticks count from the latter then.
 *     RAW_SHORT_LOCK      MUTEX_ACQUIRED (bit 55 zero) or MUTEX_RELEASED of the lock, with the detail, of the newest
 *                         MUTEX_ACQUIRE or MUTEX_ACQUIRED in the chunk. 0..54 ticks. It makes no entry.
 *
 * SYNC_BEGIN and BARRIER_BEGIN are the same entry, and so are WAIT_END and BARRIER_END: RAW_SHORT_BOTH stands for the
 * BARRIER_.... The newest record of a thread may become RAW_SHORT_ACQUIRED.
 *
 * Example, with a lock at 0x5000 that is acquired at code 0x4010, and one at 0x5008:
 *     MUTEX_ACQUIRE 0x5000 at 100, ACQUIRED at 130, RELEASED at 200    3 words; LOCK 0, 30 ticks; LOCK 1, 70 ticks
 *     MUTEX_ACQUIRE 0x5008 at 300, ACQUIRED at 330, RELEASED at 350    ACQUIRED by 2, 30, 100 ticks; LOCK 1, 20 ticks
 */
#define RAW_ENTRIES          512u
#define RAW_SHORT_BOTH       (1ull << 55)
#define RAW_SHORT_RELEASED   (1ull << 55) /* in RAW_SHORT_LOCK */
#define RAW_SHORT_AT         46
#define RAW_SHORT_TICKS      (1ull << RAW_SHORT_AT)
#define RAW_MOVED_AT         30
#define RAW_MOVED_TICKS      (1ull << RAW_MOVED_AT)
#define RAW_ACQUIRED_AT      20
#define RAW_ACQUIRED_TICKS   (1ull << RAW_ACQUIRED_AT)
#define RAW_ACQUIRED_WAITING (1ull << (RAW_MOVED_AT - RAW_ACQUIRED_AT))
#define RAW_LOCK_TICKS       (1ull << 55)
#define RAW_MOVING_IDS       (1ull << RAW_ID_BLOCK_SHIFT)

static inline uint64_t raw_short(unsigned entry, uint64_t ticks)
{
  return (uint64_t)RAW_SHORT << 56 | (uint64_t)entry << RAW_SHORT_AT | ticks;
}

static inline uint64_t raw_short_moved(unsigned entry, uint64_t step, uint64_t ticks)
{
  return (uint64_t)RAW_SHORT_MOVED << 56 | (uint64_t)entry << RAW_SHORT_AT | step << RAW_MOVED_AT | ticks;
}

/* moved: a RAW_SHORT_MOVED whose ticks are below RAW_ACQUIRED_TICKS. */
static inline uint64_t raw_short_acquired(uint64_t moved, uint64_t waiting)
{
  return (moved ^ (uint64_t)(RAW_SHORT_MOVED ^ RAW_SHORT_ACQUIRED) << 56) | waiting << RAW_ACQUIRED_AT;
}

static inline uint64_t raw_short_lock(int released, uint64_t ticks)
{
  return (uint64_t)RAW_SHORT_LOCK << 56 | (released ? RAW_SHORT_RELEASED : 0) | ticks;
}

/* head: the first kind's, where there are two. word: word 2, or 0 where there is none, or it moves. */
static inline unsigned raw_entry_of(uint64_t head, uint64_t word)
{
  return (unsigned)(mix_upper(head ^ word << 7) >> 55);
}

static inline int raw_has_short(unsigned kind)
{
  switch (kind) {
  case RAW_PARALLEL_BEGIN:
  case RAW_PARALLEL_END:
  case RAW_IMPLICIT_BEGIN:
  case RAW_CHUNK:
  case RAW_TASK_CREATE:
  case RAW_TASK_SWITCH:
  case RAW_CALL_ENTER:
  case RAW_CALL_LEAVE:
  case RAW_IMPLICIT_END:
  case RAW_WORK_BEGIN:
  case RAW_WORK_END:
  case RAW_SECTION:
  case RAW_SYNC_BEGIN:
  case RAW_SYNC_END:
  case RAW_WAIT_BEGIN:
  case RAW_WAIT_END:
  case RAW_BARRIER_BEGIN:
  case RAW_BARRIER_END:
  case RAW_REDUCTION_BEGIN:
  case RAW_REDUCTION_END:
  case RAW_MUTEX_ACQUIRE:
  case RAW_MUTEX_ACQUIRED:
  case RAW_MUTEX_RELEASED:
  case RAW_NEST_BEGIN:
  case RAW_NEST_END:
  case RAW_MASKED_BEGIN:
  case RAW_MASKED_END:
  case RAW_BLOCK_BEGIN:
  case RAW_BLOCK_END:
  case RAW_JAVA_NOTE:
  case RAW_USER_ENTER:
  case RAW_USER_LEAVE:
    return 1;
  default:
    return 0;
  }
}

/*
 * Stacks of threads, x86-64 alone. Detail: elements; value: enum raw_stack | bytes of the copy << 8. Then follow:
 *     word 2, 3     ticks from, to: of the wait
 *     word 4        time of the RAW_STACK of this chunk whose copy continues this one, from behind its last byte on; 0:
 *                   nothing continues it
 *     word 5..13    registers: rbx, rbp, rsp, rip, r10, r12, r13, r14, r15
 *     word 14, 15   ns: the least that counts, or the period; reserved
 *     word 16...    the copy, from rsp on; zeros up to a whole element.
 * The copy ends where the memory ends, or where there is no room for more.
 */
enum raw_stack {
  RAW_STACK_WAIT = 1, /* a wait that has just ended, and lasted for so long at least */
  RAW_STACK_TIMER = 2 /* the thread was there when it had used its processor for another period; from and to are one */
};
enum raw_stack_word {
  RAW_STACK_FROM = 2,
  RAW_STACK_TO = 3,
  RAW_STACK_REST = 4,
  RAW_STACK_REGISTERS = 5,
  RAW_STACK_PERIOD = 14,
  RAW_STACK_COPY = 16
};
#define RAW_STACK_BYTES_AT 8
#define RAW_STACK_MOST     3968u /* bytes of a copy */

/*
 * Profiles. A process with HEDDLE_PROFILE records sums, not events: a row a place and kind of construct. A chunk has
 * one RAW_PROFILE_THREAD and then the rows, of constructs and of metrics, which count together from 0 on. The time of a
 * row is the time of its first execution. The writer adds to the words of all of them while the window is its own, each
 * word by one store. So a reader in another process sees whole words, and rows that are at most one execution apart.
 * Rows of the same detail and code in several chunks of a thread add up, but for the longest.
 *
 * With HEDDLE_PROFILE=beside the process records events, and each thread's rows are in a window and a chunk of their
 * own. They have what the thread had recorded up to word 2 of RAW_PROFILE_THREAD. Omitted executions, which are
 * counted, are in RAW_ROW_EXECUTIONS and no other word.
 *
 * A thread's self times are all of its time: from the first RAW_PROFILE_THREAD up to word 2 of RAW_PROFILE_THREAD.
 * Metrics have no self time.
 */
enum raw_row {
  RAW_ROW_OUTSIDE = 0,       /* no construct */
  RAW_ROW_REGION = 1,        /* a parallel region on the thread that encountered it; number: enum raw_parallel */
  RAW_ROW_MEMBER = 2,        /* an implicit task, up to the region's last barrier; code: the region's */
  RAW_ROW_WORK = 3,          /* number: ompt_work_t */
  RAW_ROW_SYNC = 4,          /* number: ompt_sync_region_t */
  RAW_ROW_SYNC_WAIT = 5,     /* the waiting part of a taskgroup */
  RAW_ROW_ACQUIRE = 6,       /* from a request to the acquisition; number: ompt_mutex_t */
  RAW_ROW_HOLD = 7,          /* from an acquisition to the release; it has no self time: constructs inside have it */
  RAW_ROW_TASK = 8,          /* an explicit task; inclusive time covers all its parts */
  RAW_ROW_MASKED = 9,        /* */
  RAW_ROW_REDUCTION = 10,    /* */
  RAW_ROW_USER = 11,         /* a region of the program's; code: its name */
  RAW_ROW_OTHER = 12,        /* all rows for which there was no room */
  RAW_ROW_NOT_MEASURED = 13, /* measurement was switched off, or instances were omitted */
  RAW_ROW_STALL = 14,        /* the tool itself kept the thread; no row of a profile without events */
  RAW_ROW_BLOCK = 15         /* Java's waits; number: enum raw_block */
};

/* Ticks, where nothing else is said. */
enum raw_row_word {
  RAW_ROW_EXECUTIONS = 2, /* number of executions that ended */
  RAW_ROW_INCLUSIVE = 3,  /* sum of the outermost executions, where they are nested */
  RAW_ROW_SELF = 4,       /* without what is inside */
  RAW_ROW_LONGEST = 5,
  RAW_ROW_CONTENDED = 6, /* number of executions that waited for longer than RAW_CONTENDED */
  RAW_ROW_WAITING = 7,   /* of these */
  RAW_ROW_OFFSET = 8, /* REGION: sum of the ends of the last barrier, MEMBER: sum of the arrivals there, tasks inside it
                         added; both since the region's begin. Their difference is the waiting */
  RAW_ROW_HISTOGRAM = 9,     /* number of executions by duration: RAW_ROW_BUCKETS words */
  RAW_ROW_MEMBER_NUMBER = 49 /* TEAM_ROW: the thread's number in its innermost team then */
};
#define RAW_ROW_BUCKETS     40u
#define RAW_ROW_FIRST_POWER 6u         /* bucket 0 is below 2^7, bucket k from 2^(k + 6) on, the last one without end */
#define RAW_CONTENDED       (1u << 13) /* some microseconds */

static inline unsigned raw_row_detail(enum raw_row row, unsigned number)
{
  return (unsigned)row << 4 | (number & 15);
}

static inline unsigned raw_row_bucket(uint64_t ticks)
{
  unsigned power = 63u - (unsigned)__builtin_clzll(ticks | 1u << RAW_ROW_FIRST_POWER) - RAW_ROW_FIRST_POWER;
  return power < RAW_ROW_BUCKETS ? power : RAW_ROW_BUCKETS - 1;
}

/*
 * What is counted besides constructs, by the object that it is about and by the row of the innermost construct in which
 * it happened. Value: the code of the construct that is named, where nothing else is said.
 */
enum raw_metric {
  RAW_METRIC_TASKS = 1,  /* explicit tasks that were made; code: the task's */
  RAW_METRIC_CHUNKS = 2, /* of a loop; number: ompt_work_t. COUNT: chunks, SUM: their iterations, LAST: chunks with
                            unknown iterations */
  RAW_METRIC_LOCK = 3,   /* number: ompt_mutex_t; object: wait id, 0: not known */
  RAW_METRIC_BLOCK = 4,  /* Java's waits for an object; number: enum raw_block */
  RAW_METRIC_EVENT = 5,  /* events of the program's; value: their name */
  RAW_METRIC_VALUE = 6,  /* values of such events; number: enum raw_user_type; object: name of the attribute. COUNT:
                            values that are known, SUM, LAST: int64_t or double */
  RAW_METRIC_GC = 7,     /* pauses for garbage collection that this thread of the JVM reported; LAST: ticks of the
                            last */
  RAW_METRIC_COST = 8    /* COUNT: folds into this profile; TICKS: time for which they, turns of its window and readings
                            kept the thread. SUM: events during these ticks; LAST: metrics without room */
};

/* Ticks, where nothing else is said. */
enum raw_metric_word {
  RAW_METRIC_OBJECT = 2,
  RAW_METRIC_AROUND = 3, /* number of the row around + 1; 0: none */
  RAW_METRIC_COUNT = 4,
  RAW_METRIC_CONTENDED = 5, /* number of waits longer than RAW_CONTENDED */
  RAW_METRIC_TICKS = 6,     /* from requests to acquisitions */
  RAW_METRIC_WAITING = 7,   /* of the contended ones */
  RAW_METRIC_HELD = 8,      /* to the release */
  RAW_METRIC_LONGEST = 9,   /* wait */
  RAW_METRIC_SUM = 10,
  RAW_METRIC_LAST = 11
};

static inline unsigned raw_metric_detail(enum raw_metric metric, unsigned number)
{
  return (unsigned)metric << 4 | (number & 15);
}

enum raw_gap {
  RAW_GAP_PAUSED = 1,   /* measurement was switched off */
  RAW_GAP_DISK = 2,     /* chunks could not be written (disk full, file size limit, ...) */
  RAW_GAP_LIMIT = 3,    /* the size limit of the process was reached */
  RAW_GAP_NO_WINDOW = 4 /* the thread had no window to write into */
};

/*
 * RAW_MUTEX_ACQUIRE: a Java monitor, recorded when the thread has acquired it (ACQUIRED does not follow), and RELEASED
 * as it releases it. Both are repeated if it has it already. Value: bit 47 and an object whose class id has 15 bits;
 * in RELEASED also RAW_MONITOR_ALL: from here on the thread's monitors are unknown.
 */
#define RAW_MUTEX_MONITOR 64
#define RAW_MONITOR_ALL   0
/* A critical section of Java has a wait id, too: bit 47, and a class id in the place of an object without a number. The
 * `class:` line of this id has its name. */

#define RAW_THREAD_WORKER 2 /* RAW_THREAD_BEGIN: ompt_thread_worker */

enum raw_text {
  RAW_TEXT_NAME = 1,  /* in Java */
  RAW_TEXT_GROUP = 2, /* thread group's name, in Java */
  RAW_TEXT_CLASS = 4, /* in Java: the class of its Runnable, or the subclass of Thread */
  RAW_TEXT_USER = 3   /* the name that the program gave the thread (heddle.h); it goes before any other */
};

enum raw_user_type { RAW_USER_INTEGER = 1, RAW_USER_REAL = 2 };

/* clang-format off */
enum raw_java_thread { /* bits */
  RAW_JAVA_DAEMON = 1,
  RAW_JAVA_INTERNAL = 2, /* the JVM's own: finalizer, compiler, garbage collector, ... */
  RAW_JAVA_LATE = 4,     /* it had begun before we could see it */
  RAW_JAVA_WORKER = 8,   /* of a pool that executes parallel regions */
  RAW_JAVA_BY_OTHER = 16, /* another thread recorded it, whose kernel's thread id this log has */
  RAW_JAVA_VIRTUAL = 32   /* a virtual thread in a deadlock: it began to wait when it was "started", and has a line
                           * `stuck`; it waits until it is mounted */
};
/* clang-format on */

enum raw_block {
  RAW_BLOCK_ENTER = 1, /* a monitor that another thread has */
  RAW_BLOCK_WAIT = 2,  /* Object.wait; the object's monitor is released meanwhile */
  RAW_BLOCK_PARK = 3,  /* LockSupport.park...; the object is the blocker */
  RAW_BLOCK_SLEEP = 4,
  RAW_BLOCK_JOIN = 5, /* Thread.join; the object is the thread */
  /* Input and output; the object is what RAW_SOCKET says. */
  RAW_BLOCK_READ = 6, /* of a socket */
  RAW_BLOCK_WRITE = 7,
  RAW_BLOCK_ACCEPT = 8,
  RAW_BLOCK_CONNECT = 9,
  RAW_BLOCK_SELECT = 10, /* a selector; no object */
  RAW_BLOCK_FILE_READ = 11,
  RAW_BLOCK_FILE_WRITE = 12, /* also until it is on the disk */
  RAW_BLOCK_LOOKUP = 13,     /* of the address or the name of a host */
  RAW_BLOCK_CLASS = 14,      /* until another thread has initialized a class; only in lines `stuck` */
  RAW_BLOCK_COLLECT = 15,    /* System.gc: for the collection that it asks for */
  RAW_BLOCK_LAST = RAW_BLOCK_COLLECT,
  RAW_BLOCK_KIND = 0x0f,
  /* of END */
  RAW_BLOCK_TIMED_OUT = 0x10,
  RAW_BLOCK_INTERRUPTED = 0x20,
  RAW_BLOCK_UNMOUNTED = 0x40, /* the virtual thread waits on, without a carrier: until it is mounted again */
  RAW_BLOCK_NONE = 0x80       /* of input and output: it was ready, so this was no wait */
};

/*
 * The object of input and output has a text as its class, a kind and a name: `socket 10.0.0.7`, `socket [fe80::1%2]`,
 * `socket /run/x.sock`, `file /tmp/x`, `host example.org`. Its other half is the socket's port, or 0.
 */
#define RAW_SOCKET "socket "
#define RAW_FILE   "file "
#define RAW_HOST   "host "
/* The object of RAW_BLOCK_CLASS likewise: `static initializer of com.acme.Server`. */
#define RAW_INITIALIZER "static initializer of "

enum raw_note {
  RAW_NOTE_NOTIFY = 1,
  RAW_NOTE_NOTIFY_ALL = 2,
  RAW_NOTE_INTERRUPT = 3, /* word 2: the thread's id */
  RAW_NOTE_UNPARK = 4     /* likewise */
};

/*
 * Waits of POSIX threads. A call that got what it wanted at once is no wait: it is counted (COUNT), and has no
 * RELEASED. A wait for a condition ends when its mutex is had again: whether it waited for the mutex, too, is not
 * known. What is in the value of START is the function's address itself. READ and WRITE are the same object, a rwlock.
 * CREATE comes before the call, which may fail.
 *
 * With HEDDLE_PTHREAD=all each acquisition that waited for nobody is a HELD, and its release a RELEASED. The
 * acquisition of the mutex at the end of a wait for a condition is a HELD, too. A recursive mutex that the thread has
 * already is a COUNT of one.
 */
enum raw_pthread {
  RAW_PTHREAD_MUTEX = 1,
  RAW_PTHREAD_READ = 2,
  RAW_PTHREAD_WRITE = 3,
  RAW_PTHREAD_SPIN = 4, /* on a processor */
  RAW_PTHREAD_CONDITION = 5,
  RAW_PTHREAD_SEMAPHORE = 6,
  RAW_PTHREAD_BARRIER = 7,
  RAW_PTHREAD_JOIN = 8,
  RAW_PTHREAD_ATOMIC = 9, /* libc's syscall() with a futex: std::atomic::wait, std::barrier, ...; object: the word */
  RAW_PTHREAD_KIND = 0x0f,
  /* of WAITED; none of the first two: it has what it waited for */
  RAW_PTHREAD_TIMED_OUT = 0x10,
  RAW_PTHREAD_FAILED = 0x20,     /* interrupted by a signal, cancelled, or another error */
  RAW_PTHREAD_OWNER_DIED = 0x40, /* a robust mutex, whose owner ended with it */
  /* of HELD */
  RAW_PTHREAD_TRIED = 0x40, /* a try got it */
  RAW_PTHREAD_AGAIN = 0x80  /* a wait for a condition ended */
};

enum raw_pthread_wake {
  RAW_PTHREAD_UNLOCK = 1, /* a mutex, rwlock or spinlock; also where a wait for a condition releases its mutex */
  RAW_PTHREAD_SIGNAL = 2,
  RAW_PTHREAD_BROADCAST = 3,
  RAW_PTHREAD_POST = 4,
  RAW_PTHREAD_ARRIVAL = 5, /* the last one at a barrier; inside its own WAIT, whose begin is when it woke the others */
  RAW_PTHREAD_END = 6,     /* of a thread that is joined; object: its pthread_t */
  RAW_PTHREAD_NOTIFY_ONE = 7, /* of threads that wait for an ATOMIC */
  RAW_PTHREAD_NOTIFY_ALL = 8
};

enum raw_parallel {
  RAW_PARALLEL_LEAGUE = 1,  /* teams construct; else a parallel construct */
  RAW_PARALLEL_RUNTIME = 2, /* the implicit tasks are invoked by the runtime; else by the program */
  RAW_PARALLEL_OUTER = 4    /* BEGIN: the thread is in no other region; else it may be in one */
};

/*
 * Detail of OMITTED: the construct and how the thread was in it. Everything inside an omitted instance that would have
 * been recorded is omitted with it, on all threads of its team. But tasks that a work-sharing construct creates or
 * executes are recorded. On a thread that joined a parallel region, the time ends with its arrival at the last barrier;
 * it includes the tasks executed there. Several in a row describe one stretch of time, in any order.
 */
enum raw_omitted {
  RAW_OMITTED_WORK = 0x1f,   /* mask: ompt_work_t; 0: a parallel region; RAW_OMITTED_TASKS */
  RAW_OMITTED_TASKS = 0x1f,  /* tasks, while the thread waits; their weights count them */
  RAW_OMITTED_MEMBER = 0x40, /* as another thread of the team than number 0 */
  RAW_OMITTED_INSIDE = 0x80  /* of another omitted instance: its time is part of that one's */
};

/*
 * Where instances follow each other at once, the clock is not read for all of them. Word 4 has the time between two
 * readings, for the instances that ended between them. It is at most RAW_UNTIMED_NS for each: a longer time is not
 * theirs. The upper bits of word 3 (in units of RAW_OMITTED_UNTIMED) count those after the newest reading, word 1. They
 * ended before the thread's next record, and word 4 lacks their time.
 */
#define RAW_UNTIMED_NS      2000u
#define RAW_OMITTED_UNTIMED (1ull << 48)

/* clang-format off */
enum raw_task { /* bits */
  RAW_TASK_EXPLICIT = 0x01,
  RAW_TASK_TARGET = 0x02,
  RAW_TASK_TASKWAIT = 0x04, /* the construct is a taskwait with depend */
  RAW_TASK_UNDEFERRED = 0x08,
  RAW_TASK_UNTIED = 0x10,
  RAW_TASK_FINAL = 0x20,
  RAW_TASK_MERGEABLE = 0x40,
  RAW_TASK_MERGED = 0x80
};
/* clang-format on */

#endif
