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
};

struct scale_runs {
  VECTOR(struct scale_run) list;
};

/* Adds the run of an archive. threads 0: as many as had something to do at once. False: an error. */
bool scale_add(struct scale_runs *runs, const char *archive, unsigned threads, unsigned jobs, struct error *error);
void scale_free(struct scale_runs *runs);

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
