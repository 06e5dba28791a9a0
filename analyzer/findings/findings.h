/*
 * List of the places where a run loses time, ranked by what could be won, with one sentence each. All commands take
 * from this list what to look at.
 *
 * The account (analyzer/analyses/account/) has what could be won at each place; shares.c hands it out. So a place has
 * no more than its kind, and places of a kind add up to no more than the kind. Subjects describe places: a subject's
 * finding has the figure of the account at its place, and is no finding if the account has nothing there. The account's
 * other places have a sentence of the account. Where a run has no account (sums, archives without time), the subjects'
 * own figures remain.
 *
 * A subject's own figure is time of the run (wall time), in ticks. It is, by kind:
 * - imbalance: a construct's imbalance_parts.uneven; a parallel region's without the imbalance of the constructs in it.
 * - overhead: imbalance_parts.overhead, likewise.
 * - late: imbalance_parts.late of a parallel region.
 * - processors: the same, of all regions of a process whose teams are larger than the processors that it may use.
 * - small region: late + overhead + starved of a region whose executions (10 or more) have less than 100 us of work for
 *   a thread. They must lose more than that.
 * - small tasks: starved + uneven (its own, and the uneven of the singles which make tasks) of a region with tasks.
 *   Each task does less than 20 us, and less than the region loses a task.
 * - chain, of tasks: the same where at least half of the tasks have dependences, and they are no small ones.
 * - few tasks: the same of other regions with tasks.
 * - waiting: starved of a region without tasks. For POSIX threads: the waits for a condition, a semaphore or a barrier
 *   at a place, as a part of all such waits and joins. This part is multiplied by the shortest waiting time of a
 *   thread, among the threads that live for half of the run.
 * - lock: its waits, of all threads, times the parts `locked` of all parallel regions over the waits for locks and in
 *   ordered in them. That ratio is the trace's, the same for all locks: it is not capped by what was lost where a lock
 *   was waited for. A lock of Java, and any where no region has such waits: divided by the number of its users.
 * - chain, of iterations: a construct's time in state SYNCH ordered, of all threads, times the same ratio.
 * - serial: RUN outside of teams, of the only thread of a process that works there, times 1 - 1 / the largest team. For
 *   a part of the run, only RUN in the part; unknown for a process with excluded threads.
 * - schedule: schedule.h's `gain` of a loop's time, if it is certain and more than the loop's imbalance and overhead.
 *   Otherwise it is their advice.
 * - off: the time that a thread was blocked in the kernel in a construct where it would have worked, for the thread
 *   with the most. Outside of constructs, it is the time of the thread that forks the teams. What the others may have
 *   waited for it is not in `waiting` then.
 * - ready: the same of the time in which it waited for a processor.
 * - slower, alone, sleep: figures of awaited.h for Java's waits. The awaited thread works; works while the waiting
 *   threads have less than a tenth of its work; or waits for time to pass. For one that is blocked in the kernel it is
 *   `off`, too.
 * - collection: the time in state GC of the thread that was stopped longest.
 * - pool imbalance: excess of the longest time of a thread in a pool's tasks over the mean, without time in which they
 *   had no processor. It is nothing if not all workers were in tasks at one time.
 * - small pool: the time in which tasks waited for a worker, times the part of the tasks' time that is blocked.
 *   What both have is taken off slower, alone, sleep, and off, for which others wait, of the pool's threads.
 * - deadlock: all of the run, because it never ended. It is the first one of the list.
 * - measurement: overhead.h's `recording`, if it is above OVERHEAD_TOO_MUCH. Unknown for a part of the time.
 *
 * Instances that can run side by side (teams of several forkers) count once: imbalance_side_by_side(). All figures are
 * upper bounds ("up to"), each on the condition that the others stay as they are: they do not add up.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_FINDINGS_H
#define HEDDLE_ANALYZER_FINDINGS_FINDINGS_H

#include "analyzer/analyses/account/account.h"
#include "analyzer/analyses/counters/counters.h"
#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/locks/deadlocks/deadlocks.h"
#include "analyzer/analyses/locks/locks.h"
#include "analyzer/analyses/loops/schedule.h"
#include "analyzer/analyses/overhead/overhead.h"
#include "analyzer/analyses/processors/processors.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/analyses/tasks/tasks.h"
#include "analyzer/analyses/waits/java/awaited.h"

#define FINDINGS_WORTH 1.0 /* percent of the run: findings that could win less are not in the list */

enum finding_kind {
  FINDING_IMBALANCE,
  FINDING_OVERHEAD,
  FINDING_LATE,
  FINDING_PROCESSORS,
  FINDING_SMALL_REGION,
  FINDING_SMALL_TASKS,
  FINDING_CHAIN,
  FINDING_FEW_TASKS,
  FINDING_WAITING,
  FINDING_LOCK,
  FINDING_SERIAL,
  FINDING_SCHEDULE,
  FINDING_MEASUREMENT,
  FINDING_OFF,
  FINDING_READY,
  FINDING_DEADLOCK,
  FINDING_THROTTLED,
  FINDING_COLLECTION,
  FINDING_POOL_UNEVEN,
  FINDING_POOL_SMALL,
  FINDING_SLOWER,
  FINDING_ALONE,
  FINDING_SLEEP,
  FINDING_PLACE, /* of the account; no subject says more */
  FINDING_KINDS
};

/* What lies behind a finding, where the trace says so. */
enum finding_cause {
  CAUSE_UNKNOWN,
  CAUSE_WORK,   /* imbalance: the slowest thread has more instructions */
  CAUSE_SPEED,  /* imbalance: the slowest thread has the same instructions */
  CAUSE_BOUND,  /* ready: threads are bound to fewer processors than they are */
  CAUSE_CROWD,  /* ready: the team has more threads than the process may use processors */
  CAUSE_OTHERS, /* ready: other threads or programs had the processors ... */
  CAUSE_ONE     /* ... of one thread, mostly */
};

struct finding {
  enum finding_kind kind;
  uint32_t region;   /* the place; TRACE_NONE: none */
  uint32_t location; /* the thread; TRACE_NONE: none */
  double ticks;      /* of the run that could be won */
  uint64_t lock;     /* LOCK: its number in the archive + 1; 0: Java's, or none */
  double percent;    /* ... of the measured part of the run */
  char *text;        /* a sentence that begins with the place: "!$omp for @a.c:1: its threads ..." */
  enum finding_cause cause;
  double half_width;         /* of the 95 % interval of `ticks`; 0: all is recorded, infinite: unknown */
  double recorded;           /* the part of `ticks` that is no estimate */
  enum account_kind account; /* the kind of the account that has it; ACCOUNT_KINDS: no account */
  bool is_first;             /* it has the account's first cause */
};

struct findings {
  struct finding *list; /* the most to win first */
  size_t count;
  size_t all;  /* with those below FINDINGS_WORTH, which are behind the others and have no text */
  double run;  /* ticks: the account's duration. Without account: from the first event to the last, times the measured
                * part of the threads' lives */
  char *first; /* the sentence that all commands begin with: a deadlock's, else the account's */
  enum account_kind first_kind; /* what it is about; ACCOUNT_KINDS: nothing stands out */
};

/*
 * The analyses that findings need, in the order in which they end: the name in struct analysis_results, the struct of
 * the result, and NAME_analysis. An analysis is added here, and nowhere else.
 */
#define ALL_ANALYSES(X)                                                                                                \
  X(tasks, tasks, pool_tasks)                                                                                          \
  X(omitted, omitted, omitted)                                                                                         \
  X(overhead, overhead, overhead)                                                                                      \
  X(budget, budget, budget)                                                                                            \
  X(sums, states_sums, states_sums)                                                                                    \
  X(imbalance, imbalance, imbalance)                                                                                   \
  X(locks, locks, locks)                                                                                               \
  X(schedules, schedules, schedules)                                                                                   \
  X(processors, processors, processors)                                                                                \
  X(deadlocks, deadlocks, deadlocks)                                                                                   \
  X(counters, counters, counters)                                                                                      \
  X(awaited, awaited, awaited)                                                                                         \
  X(account, account, account)

#define X(member, type, name) ANALYSIS_##name,
enum { ALL_ANALYSES(X) ANALYSES };
#undef X

/* Their results in one trace. Who ranks findings of fewer analyses leaves NULL for budget, omitted, and those after
 * processors. Without account, the subjects' own figures are ranked. */
struct analysis_results {
  const struct trace *trace;
#define X(member, type, name) const struct type *member;
  ALL_ANALYSES(X)
#undef X
};

/* Ranks. Only the trace must outlive the findings, no other argument. False: out of memory. Free with findings_free(),
 * also then. */
bool findings_rank(const struct analysis_results *of, struct findings *findings);
void findings_free(struct findings *findings);

/* The name of its place, of *length bytes, or the words that its sentence begins with. */
const char *finding_place(const struct trace *trace, const struct finding *finding, int *length);

/* "Look first at ..." of a finding that has a text. NULL: no memory. */
char *findings_look_first(const struct finding *finding);

/* The account of a run if it has one: else NULL. */
const struct account *findings_account(const struct analysis_results *of);

/* "imbalance", "small region", ...: for programs. */
const char *finding_kind_name(enum finding_kind kind);

/* A sentence for messages that nothing was found: which waits Heddle does not record, so that they count as work. */
const char *findings_not_measured(const struct trace *trace);

#endif
