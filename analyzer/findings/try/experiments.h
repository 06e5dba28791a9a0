/*
 * Experiments with a program: settings of the OpenMP runtime or the JVM that may help with what a recorded run lost
 * time to. None of them changes what the program may do: only loops with schedule(runtime) get another schedule.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_TRY_EXPERIMENTS_H
#define HEDDLE_ANALYZER_FINDINGS_TRY_EXPERIMENTS_H

#include "analyzer/analyses/account/account.h"
#include "analyzer/analyses/loops/schedule.h"
#include "analyzer/findings/try/sequential.h"
#include "base/error.h"
#include "base/vector.h"

struct evidence_place {
  char *name, *file; /* name NULL: none; file "": unknown */
  uint32_t line;     /* 0: unknown */
};

/* A finding at a line. */
struct evidence_finding {
  struct evidence_place place;
  enum account_kind kind;
  double percent; /* that could be won */
};

struct evidence_loop {
  struct evidence_place place;
  enum plan_kind recorded;
  bool runtime;     /* its schedule follows OMP_SCHEDULE */
  double lost;      /* percent of the run: what an even division would save */
  struct plan fits; /* a schedule by its iterations */
  struct plan best; /* by simulation; PLAN_UNKNOWN: nothing is advised */
  double best_gain; /* percent of the run */
};

/* What a recorded run says. */
struct evidence {
  bool java;
  bool small_pool;     /* tasks wait for a worker of a pool while processors are idle */
  unsigned threads;    /* that had something to do at once */
  unsigned processors; /* that it may use */
  double late;         /* percent: threads on their way to work */
  double pool;         /* percent: what a larger pool could win */
  double percent[ACCOUNT_KINDS];
  struct evidence_place places[ACCOUNT_KINDS]; /* of the largest finding of each kind */
  VECTOR(struct evidence_finding) findings;    /* whose line is known, the most to win first */
  VECTOR(struct evidence_finding) held;        /* critical sections: time in them, and of their locks */
  VECTOR(struct evidence_loop) loops;
  char *first; /* the sentence of `heddle why` */
};

/* False: an error. evidence_free() in any case. */
bool evidence_read(const char *archive, unsigned jobs, struct evidence *evidence, struct error *error);
void evidence_free(struct evidence *evidence);

/*
 * A value of OMP_SCHEDULE that shows which loops follow it, if the program is recorded with it. NULL: the program has
 * no loops that a schedule would help, so there is nothing to know.
 */
const char *evidence_probe(const struct evidence *evidence);

/* Marks the loops that had another schedule when they were recorded with this probe. */
void evidence_take_probe(struct evidence *evidence, const struct evidence *probed, const char *probe);

enum experiment_outcome {
  EXPERIMENT_OPEN, /* more pairs are needed */
  EXPERIMENT_UNDECIDED,
  EXPERIMENT_KEPT,
  EXPERIMENT_SLOWER,
  EXPERIMENT_NO_GAIN,
  EXPERIMENT_OTHER_OUTPUT,
  EXPERIMENT_FAILED,
  EXPERIMENT_HUNG,
  EXPERIMENT_NOT_TRIED /* there was no time for it */
};

enum { EXPERIMENT_SETTINGS = 3 };

struct experiment {
  char *name;                          /* "OMP_NUM_THREADS=2" */
  char *settings[EXPERIMENT_SETTINGS]; /* of the environment; NULL behind the last one */
  char *directory;                     /* where a patched program runs; NULL: where the unchanged one does */
  enum account_kind kind;              /* what it is to help with ... */
  const struct evidence_place *place;  /* ... and where; it belongs to the evidence */
  double predicted;                    /* percent; NAN: no prediction */
  /* After the runs. */
  enum experiment_outcome outcome;
  char failure[64]; /* of FAILED */
  unsigned pairs;
  double seconds[SEQUENTIAL_MOST]; /* of its runs */
  struct sequential test;
};

struct experiments {
  VECTOR(struct experiment) list; /* the most promising first */
};

/* Adds the settings to try for a program with these arguments; the evidence must outlive them. False: out of memory. */
bool experiments_make(const struct evidence *evidence, char *const *arguments, struct experiments *experiments);
void experiments_free(struct experiments *experiments);

/* "kept", "slower", "no gain", ... */
const char *experiment_outcome_name(enum experiment_outcome outcome);

/* This process's environment with settings (up to a NULL) in place of its own. The caller frees the list, not its
 * texts. NULL: out of memory. */
char **environment_with(char *const *settings);

#endif
