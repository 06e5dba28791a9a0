/*
 * Runs of one program with different numbers of threads, and what they say together: efficiencies, and work that takes
 * longer with more threads. All figures are from the runs' accounts.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_SCALE_SCALE_H
#define HEDDLE_ANALYZER_FINDINGS_SCALE_SCALE_H

#include "analyzer/analyses/account/account.h"
#include "analyzer/findings/efficiency.h"
#include "base/error.h"
#include "base/vector.h"

/* Work of the program at one place: a construct, or a function. The strings belong to it. */
struct scale_place {
  char *name, *file;        /* name NULL: unknown code outside of constructs; file "": unknown */
  uint32_t line;            /* of the construct; 0: a function, or unknown */
  char *function, *at_file; /* what mostly ran there, by samples; NULL: unknown */
  uint32_t at_line;         /* ... and its line */
  bool atomic;              /* ... which is an atomic instruction */
  double work;              /* s of all threads */
};

/* What a part of a run becomes with other numbers of threads. */
enum scale_form {
  SCALE_REGION, /* a parallel region: what no other part of it has is divided among its threads */
  SCALE_LOOP,   /* its chunks are simulated */
  SCALE_ALONE,  /* one thread executes it: its time stays */
  SCALE_LOCK    /* one thread at a time */
};

#define SCALE_TEAMS     24
#define SCALE_PREDICTED 12 /* of these: numbers that can be asked for */

/* A part of the time in parallel regions. `name` belongs to it. */
struct scale_part {
  enum scale_form form;
  uint32_t region, parallel; /* of the run's trace; the parallel region, which does not lie in another one */
  char *name, *file;         /* in both runs, with the line, it is the same part */
  uint32_t line;
  double wall, work;         /* s: the run's, and all threads'; a lock: while it was held */
  double runtime;            /* a region's, s: until all threads began, and what the runtime did */
  double calls;              /* a lock's acquisitions */
  double teams[SCALE_TEAMS]; /* a loop: simulated wall time, by struct scale_runs.teams */
  double before;             /* ... with the recorded team */
  double least[SCALE_TEAMS]; /* ... if its chunks could be divided evenly */
};

/* A parallel region that does not lie in another one. `name` belongs to the region. */
struct scale_region {
  char *name;
  double wall;                   /* s of the run */
  double seconds[ACCOUNT_KINDS]; /* by kind, of all processors */
};

struct scale_run {
  unsigned threads;              /* that had something to do at once, or that were asked for */
  unsigned most;                 /* that had something to do at once */
  uint32_t processors;           /* of the account */
  double duration;               /* s */
  double seconds[ACCOUNT_KINDS]; /* by kind, of all processors; a run of one thread has no ACCOUNT_THREADS */
  struct efficiency efficiency;
  enum account_kind first_kind;
  char *first; /* the sentence of `heddle why` */
  VECTOR(struct scale_place) places;
  VECTOR(struct scale_region) regions;
  int64_t recorded;                /* when, s since 1970 */
  uint32_t usable;                 /* processors; 0: unknown */
  double span;                     /* s: the longest chain of tasks; 0: no tasks */
  VECTOR(struct scale_part) parts; /* only for predictions */
};

struct scale_runs {
  uint32_t teams[SCALE_TEAMS]; /* numbers of threads that loops are simulated with */
  uint32_t team_count;         /* 0: nothing is to be predicted */
  VECTOR(struct scale_run) list;
};

/* Sets the teams that loops are simulated with: usual ones, and from *first on the list's. */
void scale_set_teams(struct scale_runs *runs, const unsigned *threads, size_t count, uint32_t *first);

/* Adds the run of an archive. threads 0: as many as had something to do at once. False: an error. */
bool scale_add(struct scale_runs *runs, const char *archive, unsigned threads, unsigned jobs, struct error *error);
void scale_run_free(struct scale_run *run);
void scale_free(struct scale_runs *runs);

/*
 * Tables of TALP, a part of DLB: a file of JSON a run, with times in ns by region. TALP's load imbalance,
 * serialization and scheduling are the kinds that lower our load balance, serialization and transfer. docs/why.md
 * compares the formulas.
 */
bool scale_is_talp(const char *path);
bool scale_add_talp(struct scale_runs *runs, const char *path, struct error *error);
/* Writes each run as DIRECTORY/threads-N-run-M.json; the directory is made. False: an error. */
bool scale_write_talp(const struct scale_runs *runs, const char *directory, struct error *error);

/* A place whose work takes longer with more threads. */
struct scale_growth {
  const struct scale_place *place; /* of the run with most threads */
  double before, after;            /* s of work, with the fewest threads and with the most */
};

/* One number of threads: its run of median duration. */
struct scale_step {
  const struct scale_run *run;
  unsigned runs;  /* with this number of threads */
  double speedup; /* over the fewest threads */
  double work;    /* percent: work with the fewest threads / work with these */
  double overall; /* percent: parallel efficiency x work */
  double longer;  /* percent of the processors' time that the same work takes longer */
};

struct scale {
  VECTOR(struct scale_step) steps;     /* fewest threads first */
  VECTOR(struct scale_growth) growths; /* from the first step to the last, largest first */
  bool memory;                         /* longer work costs most of all, and enough to be first */
};

/* Compares runs, which must outlive it. At least two numbers of threads are needed. False: an error. */
bool scale_compare(const struct scale_runs *runs, struct scale *scale, struct error *error);
void scale_end(struct scale *scale);

/* The first sentence; the caller frees it. NULL: out of memory. */
char *scale_sentence(const struct scale *scale);

/* A run with a number of threads, predicted. Times are s. */
struct scale_prediction {
  unsigned threads;
  double time, low, high;
  double ideal;           /* if all threads worked all the time, and the work took no longer than with one thread */
  const char *limit;      /* what costs most beside the ideal time: "one thread works alone", ... */
  const char *limit_name; /* its construct; NULL: none */
  double limit_time;      /* its part of `time` */
  bool measured;          /* no more threads than in a run */
};

/*
 * Predicts for each of struct scale_runs.teams from `first` on. Parts of the run with the most threads are replayed.
 * The work of a parallel region follows a law of contention that is fitted to all runs. docs/prediction.md has the
 * rules. False: an error, such as a model that misses what was measured by more than a tenth.
 */
bool scale_predict(const struct scale_runs *runs, const struct scale *scale, uint32_t first,
                   struct scale_prediction *predictions, struct error *error);

/* Work by number of threads: 1 + serial (n - 1) + crosstalk n (n - 1) times the work of one thread (Universal
 * Scalability Law). */
struct scale_law {
  double serial, crosstalk;
};

struct scale_work {
  unsigned threads;
  double work;
};

/* Fits the law. `low` and `high` are laws that fit nearly as well, with the least and the most work of many threads. */
void scale_fit(const struct scale_work *works, size_t count, struct scale_law *law, struct scale_law *low,
               struct scale_law *high);
double scale_law_at(const struct scale_law *law, double threads);

/* Fills the parts of a run from its analyses. False: out of memory. */
struct analysis_results;
bool scale_take_regions(struct scale_run *run, const struct analysis_results *results);
bool scale_take_parts(struct scale_run *run, const struct scale_runs *runs, const struct analysis_results *results);

/* What `heddle scale -- PROGRAM` is to record. */
struct scale_plan {
  char *const *arguments; /* the program's; {threads} in them stands for the number */
  const unsigned *threads;
  size_t count;          /* of numbers of threads */
  unsigned runs;         /* with each number, in turn */
  const char *directory; /* where archives and the program's output go; it is made */
  unsigned jobs;
};

/* Records the runs, and adds them. False: an error. */
bool scale_record(const struct scale_plan *plan, struct scale_runs *runs, struct error *error);

#endif
