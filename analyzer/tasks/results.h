/* What is found of tasks. Users include tasks.h, which says what the figures mean. */
#ifndef HEDDLE_ANALYZER_TASKS_RESULTS_H
#define HEDDLE_ANALYZER_TASKS_RESULTS_H

#include "analyzer/trace/definitions.h"
#include "base/lengths.h"

#include <stdbool.h>
#include <stddef.h>

struct task_site {
  uint32_t region; /* the tasks' code; TRACE_NONE: those that never ran */
  struct lengths
      queue;           /* from when a task could run (it was made, and what it depends on had ended) to its first run */
  struct lengths held; /* tasks with dependences: from when it was made until it could run */
  struct lengths run;  /* in its code, without the tasks that the thread executed meanwhile */
  struct lengths apart; /* from one task that a thread made to the next one, with nothing between: a task takes no
                           longer to make */
  uint64_t made;        /* recorded tasks whose creation was seen */
  uint64_t left_out;    /* tasks that are not recorded */
  uint64_t ended;
  uint64_t at_once;   /* executed at once by who made them */
  uint64_t stolen;    /* their first run was on another thread than the one that made them */
  wide_total busy;    /* of the time in its code: its own code and what it was blocked for in the kernel */
  wide_total blocked; /* likewise: waits, also in the kernel */
};

/* A thread that made or executed tasks of a site. */
struct task_thread {
  size_t site;
  uint32_t location;
  uint64_t made, ran, stolen; /* ran: first runs; stolen: of these, others made them */
  wide_total run;             /* its time in these tasks */
};

struct tasks {
  struct task_site *sites; /* those with the longest runs first */
  size_t site_count;
  struct task_thread *threads; /* by site, then by time */
  size_t thread_count;
  uint64_t made, left_out, ended, never_ran;
  uint64_t unfollowed;   /* tasks beyond what is followed at one time */
  uint64_t depend;       /* with dependences */
  wide_total work;       /* ticks */
  uint64_t span;         /* ticks; of several processes the longest */
  uint64_t most_waiting; /* tasks that had been made and had not begun, at one time */
  uint32_t threads_used; /* locations that executed tasks */
  wide_total lifetimes, unmeasured;
};

enum task_grain {
  GRAIN_UNKNOWN,   /* it is not known what making a task takes */
  GRAIN_TOO_SMALL, /* its own code takes less than making one */
  GRAIN_SMALL,     /* less than 10 times that */
  GRAIN_TOO_LARGE, /* one alone takes longer than each thread's even share of all */
  GRAIN_FINE
};

enum task_grain task_site_grain(const struct tasks *tasks, const struct task_site *site);

#endif
