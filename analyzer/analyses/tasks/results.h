/* Results of tasks.h. Users include tasks.h, which says what the figures mean. */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_RESULTS_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_RESULTS_H

#include "analyzer/trace/definitions.h"
#include "base/statistics.h"

#include <stdbool.h>
#include <stddef.h>

struct task_site {
  uint32_t region; /* the tasks' code; TRACE_NONE: tasks that never ran */
  struct lengths
      queue;           /* from when a task could run (it was made, and what it depends on had ended) to its first run */
  struct lengths held; /* tasks with dependences: from when it was made until it could run */
  struct lengths run;  /* in its code, without the tasks that the thread executed meanwhile */
  struct lengths apart; /* from one task that a thread made to the next one, with nothing between: a task takes no
                           longer to make */
  uint64_t made;        /* recorded tasks whose creation was seen */
  uint64_t omitted;     /* tasks that are not recorded */
  uint64_t ended;
  uint64_t
      submitted;    /* their maker is known, and when they were made: not of Java's tasks that are made as they begin */
  uint64_t at_once; /* executed at once by who made them */
  uint64_t stolen;  /* their first run was on a thread other than their maker */
  wide_total busy;  /* of the time in its code: its own code and what it was blocked for in the kernel */
  wide_total blocked; /* likewise: waits, also in the kernel */
};

/* A thread that made or executed tasks of a site. */
struct task_thread {
  size_t site;
  uint32_t location;
  uint64_t made, ran, stolen; /* ran: first runs; stolen: first runs of tasks made by other threads */
  wide_total run;             /* its time in these tasks */
};

/* Threads of Java that execute tasks of a common queue, and threads that execute them while they wait for them. */
struct task_pool {
  char *name;                /* `pool-1-thread-*`: the names of its workers */
  uint32_t first;            /* a worker's location */
  uint32_t workers;          /* threads that executed tasks ... */
  uint32_t never_ran;        /* ... and that executed none */
  uint32_t callers;          /* threads that are no workers, and executed tasks of it */
  uint32_t place;            /* private to tasks/ */
  uint32_t longest;          /* location of the thread that was in tasks for longest */
  uint64_t most_at_work;     /* workers in tasks at one time */
  uint64_t tasks, submitted; /* submitted: tasks with a recorded submission */
  uint64_t begin, end;       /* ticks: of its first and of its last task */
  wide_total run, run_max;   /* time of all members in tasks, also blocked; of the longest one */
  wide_total blocked;        /* ... as in struct task_site */
  wide_total locked;         /* ... of this, waits for locks: other workers would wait there, too */
  uint64_t awaited;          /* waits of threads for its tasks, in get(), join(), ... */
  wide_total await;          /* ... and their time */
  wide_total queue;          /* time of its tasks, until they began ... */
  uint64_t starved;          /* ticks in which tasks waited for a worker that was in another one */
  wide_total for_worker;     /* ... while the worker that executed them was in other tasks */
};

struct task_member {
  uint32_t pool; /* its place in struct tasks */
  uint32_t location;
  bool calls; /* it is no worker */
  uint64_t ran;
  wide_total run;
};

/* Virtual threads that one line starts. */
struct virtual_site {
  uint32_t region;  /* of the start; TRACE_NONE: it was not seen */
  uint64_t threads; /* that were started or run */
  uint64_t ended;
  uint64_t most_alive;  /* started and not ended, at one time */
  uint64_t mounts;      /* how often a carrier took one */
  struct lengths queue; /* from the start until a carrier took it first */
  struct lengths run;   /* time on carriers, of the virtual threads that were on one and left it */
  wide_total unmounted; /* ticks off carriers between: they waited, or no carrier was free */
};

struct tasks {
  struct task_site *sites; /* those with the longest runs first */
  size_t site_count;
  struct task_thread *threads; /* by site, then by time */
  size_t thread_count;
  struct task_pool *pools; /* pools of Java; the pools with the longest time in tasks first */
  size_t pool_count;
  struct task_member *members; /* by pool, workers first, then by time */
  size_t member_count;
  struct virtual_site *virtual_sites; /* of Java; those with the longest runs first */
  size_t virtual_count;
  uint64_t made, omitted, ended, never_ran;
  uint64_t unfollowed;   /* tasks beyond what is followed at one time */
  uint64_t depend;       /* with dependences */
  wide_total work;       /* ticks */
  uint64_t span;         /* ticks; of several processes the longest */
  uint64_t most_waiting; /* tasks that had been made and had not begun, at one time */
  uint32_t threads_used; /* locations that executed tasks */
  uint64_t elapsed;      /* from the first event of a thread to the last one */
  wide_total lifetimes, not_measured;
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
