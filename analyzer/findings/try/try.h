/*
 * Experiments with a program, from its first run to the proof. A trial run and a recording come first. Experiments
 * follow from the findings. Runs with and without each change then take turns.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_TRY_TRY_H
#define HEDDLE_ANALYZER_FINDINGS_TRY_TRY_H

#include "analyzer/findings/try/experiments.h"
#include "analyzer/findings/try/scratch.h"

#define TRY_LEVEL      0.01 /* probability of keeping anything that has no effect, over all experiments of a call */
#define TRY_LEAST_TIME 0.1  /* s: shorter programs are mostly start and end */

struct try_plan {
  char *const *arguments; /* the program's, up to NULL */
  const char *same;       /* command that compares two outputs; NULL: they must be equal */
  unsigned runs;          /* pairs of an experiment, at most SEQUENTIAL_MOST */
  double time;            /* s, of all runs */
  bool in_place;
  const char *const *patches; /* files, each an experiment by itself; they need a build */
  unsigned patch_count;
  const char *build; /* command for the shell that builds the program; NULL: none */
  unsigned jobs;
};

struct try_result {
  struct evidence evidence;
  struct experiments experiments;
  unsigned tried;                  /* experiments; those behind them were not */
  double seconds[SEQUENTIAL_MOST]; /* of the unchanged runs */
  unsigned runs;                   /* their number */
};

/* False: the program is refused, or an error. try_free() in any case. */
bool try_program(const struct try_plan *plan, struct try_result *result, struct error *error);
void try_free(struct try_result *result);

/* The median time of runs. NAN: there are none. */
double try_median(const double *seconds, unsigned count);

/* Appends a line of JSON for each experiment that was measured. False: an error. */
bool try_record(const char *path, const struct try_result *result, char *const *arguments, struct error *error);

#endif
