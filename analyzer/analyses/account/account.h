/*
 * The account of a run: what its processors could have done, each tick booked once, by cause. docs/why.md has the
 * rules. Two passes over the events; memory depends on threads, places and open waits.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_ACCOUNT_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_ACCOUNT_H

#include "analyzer/trace/pass/pass.h"

enum account_kind {
  ACCOUNT_WORK,
  ACCOUNT_IMBALANCE,
  ACCOUNT_SERIAL,
  ACCOUNT_GRAIN,
  ACCOUNT_TASKS,
  ACCOUNT_SYNCHRONIZATION,
  ACCOUNT_PROCESSORS,
  ACCOUNT_BLOCKED,
  ACCOUNT_THREADS,
  ACCOUNT_COLLECTION,
  ACCOUNT_MEMORY,
  ACCOUNT_FOREVER,
  ACCOUNT_RUNTIME,
  ACCOUNT_MEASUREMENT,
  ACCOUNT_OUTSIDE,
  ACCOUNT_UNKNOWN,
  ACCOUNT_KINDS
};

/* How a cause of a kind came about. */
enum account_note {
  NOTE_NONE,
  NOTE_ALONE,   /* in a construct that one thread executes */
  NOTE_AWAITED, /* others wait at this place for the thread, whose own place is not known */
  NOTE_WAKE_UP, /* from the action that ended a wait until the thread went on */
  NOTE_LATE,    /* from the fork until the thread began */
  NOTE_HANDED,  /* a lock on its way to the next thread */
  NOTE_HOLDER_UNKNOWN,
  NOTE_GAP,     /* between two executions of a small region */
  NOTE_CHUNKS,  /* fetching chunks of a loop: an estimate */
  NOTE_MAKING,  /* making tasks: likewise */
  NOTE_LOCKS,   /* acquiring and releasing locks for which nobody waits: likewise */
  NOTE_OMITTED, /* in instances whose sums alone were recorded */
  NOTE_REST,    /* what others lost meanwhile */
  NOTE_JOIN,    /* threads of one creator */
  NOTE_MEETING, /* a barrier */
  NOTE_IDLE,
  NOTE_SPIN,    /* by samples: a loop that another thread's write alone ends */
  NOTE_ORDERED, /* by samples: in the runtime, for an iteration before it in order */
  NOTE_LIBRARY, /* by looks: a lock of a library, which no layer knows */
  NOTE_TASKS,   /* BLOCKED: in a task; RUNTIME: tasks were ready, and threads waited */
  NOTE_JVM,
  NOTE_MPI, /* inside of MPI, by samples: what a rank waits for there is not recorded */
  NOTES
};

struct account_cause {
  enum account_kind kind;
  enum account_note note;
  uint32_t place;         /* region; TRACE_NONE: outside of constructs */
  uint32_t thread;        /* location that most of it is the reason of; TRACE_NONE: unknown */
  const char *lock_class; /* class and field of a Java object; NULL: none */
  uint64_t lock;          /* number + 1 of the lock that it is about, mostly; 0: none, or unknown */
  /* Code of the program that mostly ran there, by samples, or that waited; NULL: unknown. They live with the account.
   */
  const char *function, *file, *library; /* library: what the function called; NULL: nothing */
  uint32_t line;
  bool atomic; /* most of it ran at an atomic instruction */
  uint64_t ticks;
};

struct account {
  uint32_t processors;                    /* what there was is these times `duration` */
  bool selected;                          /* `processors` are the selected threads, whose own time it is */
  uint32_t usable;                        /* processors that the run could use; 0: unknown */
  uint32_t most;                          /* threads that had something to do at once */
  bool crowded;                           /* more than `processors`, and mostly while threads lacked processors */
  uint64_t begin, span;                   /* ticks: from the process's begin, or the part that is looked at */
  uint64_t duration;                      /* ... without stretches in which measurement was off */
  uint64_t executions;                    /* executions or tasks of the largest cause of GRAIN; 0: none */
  double grain_ticks;                     /* ... mean work */
  uint32_t stuck, stuck_at;               /* a thread that waits for ever, and where; TRACE_NONE: none */
  double threshold;                       /* percent: below, a cause is not the first; 0: ACCOUNT_THRESHOLD */
  bool switches;                          /* the trace has context switches: without, READY and BLOCKED are unknown */
  unsigned __int128 ticks[ACCOUNT_KINDS]; /* their sum is processors * duration */
  uint32_t *within;             /* by region: the parallel region that it was seen in last; TRACE_NONE: none */
  struct account_cause *causes; /* most ticks first */
  struct running_code *code;    /* has the names of code; NULL: no samples */
  size_t cause_count;
};

/* Its result is a struct account. The first pass is shared with other analyses, the second one is in its end(). */
extern const struct analysis account_analysis;

/* Ticks of a kind that can be won: all but the JVM's own work. */
unsigned __int128 account_can_win(const struct account *account, enum account_kind kind);
/* The part of what there was, percent. */
double account_percent(const struct account *account, unsigned __int128 ticks);

#define ACCOUNT_THRESHOLD 3.0 /* percent */
/* The kind of the first sentence; ACCOUNT_KINDS: nothing stands out. */
enum account_kind account_first(const struct account *account);
/* The same of the time that is not of this kind. */
enum account_kind account_first_but(const struct account *account, enum account_kind without);
/* The largest cause of a kind, or of the first one. NULL: none. */
const struct account_cause *account_largest_cause(const struct account *account, enum account_kind kind);
const struct account_cause *account_first_cause(const struct account *account);

#define ACCOUNT_WHOSE_SIZE 40
/* "2 processors", "1 selected thread": whose time it is. Returns `text`. */
const char *account_whose(const struct account *account, char text[ACCOUNT_WHOSE_SIZE]);
/* "imbalance", ...: for programs. */
const char *account_kind_name(enum account_kind kind);

#endif
