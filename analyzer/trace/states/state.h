/*
 * The states of threads, and the only table from constructs to states. docs/states.md explains both to users; keep the
 * two the same.
 */
#ifndef HEDDLE_ANALYZER_TRACE_STATES_STATE_H
#define HEDDLE_ANALYZER_TRACE_STATES_STATE_H

#include "analyzer/trace/definitions.h"
#include "base/statistics.h"

enum state {
  STATE_IDLE,     /* a worker outside any team */
  STATE_RUN,      /* the program's own code */
  STATE_OVERHEAD, /* the OpenMP runtime: forming teams, handing out work, making tasks */
  STATE_SYNCH_IMPLICIT_BARRIER,
  STATE_SYNCH_BARRIER,
  STATE_SYNCH_MUTEX, /* critical, locks, atomic */
  STATE_SYNCH_ORDERED,
  STATE_SYNCH_TASKWAIT, /* taskwait, the end of a taskgroup */
  STATE_SYNCH_REDUCTION,
  STATE_TRACEFLUSH, /* the measurement itself */
  STATE_UNMEASURED, /* measurement was off, events are lost, or instances were omitted */
  /* States of threads rather than of a programming model: Java's. */
  STATE_INIT,            /* created, not running yet */
  STATE_BLOCKED_MUTEX,   /* waits for a monitor or lock that another thread holds */
  STATE_BLOCKED_CONDVAR, /* waits in wait, park, sleep, join */
  STATE_SPIN,            /* yields repeatedly */
  STATE_GC,              /* stopped for garbage collection */
  /* States of threads, if the trace says which of them have a processor; and of processors and devices. */
  STATE_READY, /* could run, but has no processor */
  STATE_OFF,   /* blocked in the kernel: sleep, I/O, a lock that was not reported. For a processor: it is idle */
  /* SYNCH of POSIX threads, where the archive reports their waits. */
  STATE_SYNCH_PTHREAD_MUTEX, /* mutexes, spin locks */
  STATE_SYNCH_PTHREAD_RWLOCK,
  STATE_SYNCH_PTHREAD_CONDITION,
  STATE_SYNCH_SEMAPHORE,
  STATE_SYNCH_PTHREAD_BARRIER,
  STATE_SYNCH_ATOMIC, /* std::barrier, std::latch, std::atomic::wait, ... */
  STATE_SYNCH_JOIN,
  STATES
};

/* States of these two ranges are SYNCH, by cause: of OpenMP and of POSIX threads. */
#define STATE_SYNCH_FIRST   STATE_SYNCH_IMPLICIT_BARRIER
#define STATE_SYNCH_LAST    STATE_SYNCH_REDUCTION
#define STATE_PTHREAD_FIRST STATE_SYNCH_PTHREAD_MUTEX
#define STATE_PTHREAD_LAST  STATE_SYNCH_JOIN

#define STATE_BLOCKED_FIRST STATE_BLOCKED_MUTEX
#define STATE_BLOCKED_LAST  STATE_BLOCKED_CONDVAR

static inline bool state_is_synch(enum state state)
{
  return (state >= STATE_SYNCH_FIRST && state <= STATE_SYNCH_LAST) ||
         (state >= STATE_PTHREAD_FIRST && state <= STATE_PTHREAD_LAST);
}

/* True if a thread in it waits for others, or for work. */
static inline bool state_is_wait(enum state state)
{
  return state == STATE_IDLE || state_is_synch(state) || (state >= STATE_BLOCKED_FIRST && state <= STATE_BLOCKED_LAST);
}

/* What a state is at the level of threads, which knows no programming model: waits are BLOCKED. */
static inline enum state state_of_thread(enum state state)
{
  return state == STATE_SYNCH_PTHREAD_MUTEX || state == STATE_SYNCH_PTHREAD_RWLOCK ? STATE_BLOCKED_MUTEX
         : state >= STATE_PTHREAD_FIRST && state <= STATE_PTHREAD_LAST             ? STATE_BLOCKED_CONDVAR
                                                                                   : state;
}

/*
 * The measured ticks among ticks by state. Percentages of a thread's time are percentages of measured time, because
 * UNMEASURED time has unknown states.
 */
static inline wide_total states_measured(const wide_total ticks[STATES])
{
  wide_total sum = 0;
  for (unsigned i = 0; i < STATES; i++)
    sum += i == STATE_UNMEASURED ? 0 : ticks[i];
  return sum;
}

/* True if the trace reports context switches, or a region has the state READY or OFF. */
bool states_know_processors(const struct trace *trace);

/* States that belong in a list of all states. READY and OFF only if the trace knows them; OFF also if it has I/O;
 * states of POSIX threads only if it reports their waits. */
void states_listed(const struct trace *trace, bool listed[STATES]);

/* The name for people: "RUN", "SYNCH implicit barrier"; and the key for programs: "run", "synch_implicit_barrier". */
const char *state_name(enum state state);
const char *state_key(enum state state);
/* One capital letter, of its own. docs/heddle-pes.1.md explains them: keep both the same. */
char state_letter(enum state state);

/* The rows of the table. */
enum rule {
  RULE_INHERIT, /* regions that no row matches: they have the state of the region around them */
  RULE_BASE,    /* outside any team and region */
  RULE_PARALLEL,
  RULE_CHUNK,
  RULE_LOOP,
  RULE_SECTION,
  RULE_SECTIONS,
  RULE_SINGLE_SBLOCK,
  RULE_SINGLE,
  RULE_MASTER,
  RULE_WORKSHARE,
  RULE_BARRIER,
  RULE_IMPLICIT_BARRIER,
  RULE_TASK_WAIT,
  RULE_CRITICAL_SBLOCK,
  RULE_CRITICAL,
  RULE_ORDERED_SBLOCK,
  RULE_ORDERED,
  RULE_ATOMIC,
  RULE_SET_LOCK,
  RULE_SET_NEST_LOCK,
  RULE_TEST_LOCK,
  RULE_WRAPPER,
  RULE_REDUCTION,
  RULE_JAVA_REDUCTION,
  RULE_TASK,
  RULE_TASK_UNTIED,
  RULE_TASK_CREATE,
  RULE_FLUSH,
  RULE_USER,
  RULE_TRACEFLUSH,
  RULE_BUFFER_FLUSH,
  RULE_MEASUREMENT_OFF,
  RULE_OMITTED,
  RULE_PROFILE_ROW,
  /* Regions whose description has `state: ...`. */
  RULE_STATE_INIT,
  RULE_STATE_BLOCKED_MUTEX,
  RULE_STATE_BLOCKED_CONDVAR,
  RULE_STATE_IDLE,
  RULE_STATE_IO, /* OFF, as the waiting call reports */
  RULE_STATE_SPIN,
  RULE_STATE_READY,
  RULE_STATE_OFF,
  RULE_STATE_GC,
  RULE_STATE_SAFEPOINT, /* OFF, as the JVM that stopped the thread reports */
  RULE_PTHREAD_MUTEX,
  RULE_PTHREAD_RWLOCK,
  RULE_PTHREAD_CONDITION,
  RULE_SEMAPHORE,
  RULE_PTHREAD_BARRIER,
  RULE_ATOMIC_WAIT,
  RULE_JOIN,
  RULE_NOTE, /* other regions of Java's runtime, and of POSIX threads */
  RULES
};

/* Regions that do not decide the state of the construct around them: the tool's work, garbage collection, waits. A part
 * of the construct may still follow. */
static inline bool rule_is_aside(enum rule rule)
{
  return rule >= RULE_TRACEFLUSH;
}

static inline bool rule_is_tool(enum rule rule)
{
  return rule >= RULE_TRACEFLUSH && rule <= RULE_PROFILE_ROW;
}

/* The kernel gave the thread no processor. The state is READY or OFF where the program would have run; any other state
 * is the better reason, and keeps the time. */
static inline bool rule_is_off(enum rule rule)
{
  return rule == RULE_STATE_READY || rule == RULE_STATE_OFF;
}

/* Waits of POSIX threads. */
static inline bool rule_is_pthread(enum rule rule)
{
  return rule >= RULE_PTHREAD_MUTEX && rule <= RULE_JOIN;
}

/* Regions of waits that keep the state around them if it is a programming model's (IDLE, SYNCH, ...). That state is the
 * better reason for the wait. */
static inline bool rule_yields(enum rule rule)
{
  return (rule >= RULE_STATE_BLOCKED_MUTEX && rule <= RULE_STATE_SPIN) || rule_is_pthread(rule);
}

/*
 * A construct's own time (exclusive: without the regions inside) has state `alone`. But if a region of rule `part` is
 * directly inside, this region is a part of the construct (reports add up their times). The construct's own time then
 * has state `before` up to the first part and `after` from then on. After ThreadAcquireLock own time has state
 * `acquired`.
 */
struct state_rule {
  OTF2_Paradigm paradigm;
  OTF2_RegionRole role;
  const char *name; /* the region's name begins with this; NULL: any name */
  enum state alone;
  enum rule part; /* RULE_INHERIT: has no parts */
  enum state before, after, acquired;
};

extern const struct state_rule state_rules[RULES];

/* The row for a region. */
enum rule state_rule_of(const struct trace_region *region);

#endif
