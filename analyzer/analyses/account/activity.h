/*
 * Activities and actions of one thread, from the events of its location. An action begins or ends a wait, or may end
 * waits of other threads. Both passes of the account read the same steps.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_ACTIVITY_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_ACTIVITY_H

#include "analyzer/analyses/account/running_code.h"
#include "analyzer/trace/pass/pass.h"

enum does {
  DOES_NOTHING, /* not begun, or ended */
  DOES_WORK,
  DOES_ALONE, /* work in a single, masked or section that one thread alone executes */
  DOES_RUNTIME,
  DOES_MEASUREMENT,
  DOES_UNKNOWN, /* not measured, or inside of MPI */
  DOES_OMITTED, /* executes instances of constructs at `place` whose sums alone were recorded */
  DOES_READY,
  DOES_BLOCKED, /* sleeps, reads a file, or waits in the kernel for an unknown action */
  DOES_OUTSIDE, /* waits for what comes from outside of the run */
  DOES_IDLE,    /* a pool's thread without work */
  DOES_COLLECTION,
  DOES_START,   /* it was created, and does not run yet */
  DOES_SPIN,    /* on a processor, by a sample: tests a value until another thread changes it */
  DOES_LIBRARY, /* in the kernel, by a look at it: waits for a lock of a library */
  DOES_WAIT
};

enum on_processor { ON_PROCESSOR, ON_READY, ON_OFF };

/* What a thread does. */
struct activity {
  uint8_t does;   /* enum does */
  uint8_t kernel; /* enum on_processor; only of DOES_WAIT */
  bool of_jvm;    /* only of DOES_RUNTIME: the JVM starts */
  bool in_task;   /* only of DOES_BLOCKED: a task, perhaps of a pool, is not done meanwhile */
  uint32_t place; /* region; TRACE_NONE: outside of constructs. DOES_COLLECTION: where it was asked for */
  uint32_t ran;   /* the code, as a number of running_code.h; TRACE_NONE: unknown */
};

/* What a wait is for, which says what ends it. */
enum waits_for {
  FOR_MEETING, /* barrier, end of a region or reduction of a team */
  FOR_OBJECT_MEETING,
  FOR_TASKS,
  FOR_LOCK,      /* its acquisition is an event */
  FOR_MUTEX,     /* its release is a signal */
  FOR_OWNER,     /* a monitor: only its owner is known */
  FOR_ATOMIC,    /* a futex: a barrier, a lock or a signal, as it looks */
  FOR_SIGNAL,    /* condition, notify */
  FOR_SEMAPHORE, /* a signal, or a release by a thread that waits for it, too */
  FOR_PERMIT,    /* unpark */
  FOR_PERMIT_LOCK,
  FOR_END /* of a thread */
};

/* What a virtual thread waits for without a carrier. It is not known who ends such a wait. */
enum waits_unmounted { UNMOUNTED_AT_LOCK, UNMOUNTED_BLOCKED, UNMOUNTED_OUTSIDE };

enum step_kind_of_account {
  ACT_BEGIN,
  ACT_DOES,
  ACT_WAIT,
  ACT_WAIT_END,
  ACT_WAIT_LOCK, /* the lock of the thread's last wait is known after its end */
  ACT_ACQUIRE,
  ACT_RELEASE,
  ACT_SIGNAL,  /* at an object */
  ACT_UNPARK,  /* for a thread */
  ACT_START,   /* starts a Java thread */
  ACT_CREATE,  /* creates POSIX thread `number`, at `region`, which may be TRACE_NONE */
  ACT_CREATED, /* is POSIX thread `number` */
  ACT_JOINS,   /* the innermost wait is for POSIX thread `number` */
  ACT_TEAM_BEGIN,
  ACT_TEAM_END,
  ACT_TASK_MADE, /* `number`: tasks that it stands for, likewise below; flags: ACT_DEPENDS */
  ACT_TASK_BEGIN,
  ACT_TASK_DONE,
  ACT_CHUNKS,   /* a thread leaves `region`, in which it took `number` chunks of a loop, */
  ACT_MADE,     /* ... or made `number` tasks */
  ACT_LOCKS,    /* the thread acquired locks at `region` `number` times, while its work was at `team`: a region, too */
  ACT_OFF,      /* for `number` ticks of its work at `region` it had no processor, for `ordinal` in the run queue */
  ACT_OMITTED,  /* `number` executions of `region` were not recorded */
  ACT_UNMOUNT,  /* virtual thread `number` waits on, without a carrier, as `waits` says */
  ACT_MOUNT,    /* virtual thread `number` runs */
  ACT_MEASURED, /* measurement is on, of all threads: `number`, or off: 0 */
  ACT_STOP
};

enum { ACT_TIMED_OUT = 1, ACT_CUT = 2, ACT_ALL = 4, ACT_IN_TASK = 8, ACT_DEPENDS = 16 };

struct account_step {
  uint64_t time;
  uint8_t kind;           /* enum step_kind_of_account */
  uint8_t waits;          /* WAIT, WAIT_END: enum waits_for; UNMOUNT: enum waits_unmounted */
  uint8_t flags;          /* WAIT_END; SIGNAL: ACT_ALL, it wakes all; WAIT in Java: ACT_IN_TASK, a task waits */
  struct activity now;    /* from here on */
  uint32_t region;        /* that waits, or waited; TEAM_BEGIN: the parallel region */
  uint32_t team;          /* WAIT, TEAM_..., TASK_...: team */
  uint64_t ordinal;       /* WAIT, WAIT_END: the thread's waits in the order of their begins */
  uint64_t number;        /* object's key, lock, thread; 0: unknown */
  uint64_t lock;          /* WAIT: the number of what it is for in the archive (not Java's: + 1); 0: unknown */
  const char *lock_class; /* WAIT: class and field of a Java object; NULL: none */
  uint64_t owner;         /* id of a thread; 0: unknown */
};

/* What each region means for an activity, for both passes; free() it. NULL: no memory. */
struct region_meaning;
struct region_meaning *region_meanings(const struct trace *trace);

/* Takes the steps of all threads, in order of time. False: no memory. */
typedef bool activity_sink(void *context, uint32_t location, const struct account_step *step);

/* The begin of the context of subscribers that activity_subscribe() made. */
struct activity_pass {
  const struct trace *trace;
  const struct region_meaning *meanings;
  const struct running_code *code; /* NULL: no samples */
  activity_sink *sink;
  void *context;
};

/*
 * Fills in a subscriber whose context is a struct activity_pass, for passes in order. It gets all of the trace, also
 * what is not looked at. `state` is not used: this is an adapt() of analyses.
 */
void activity_subscribe(const void *state, struct subscriber *lanes);

#endif
