/*
 * Two groups of runs, compared row by row. Runs are samples: each figure of a row has an exact test (base/rank_test.h)
 * if it varies. The run's own figures share half of the level, all other rows the other half. Holm's correction is
 * made in each half and for each direction. Rows have weights, their parts of the run. So the probability that anything
 * is called slower although nothing is slower is at most the level.
 *
 * Tested are times of rows with COMPARE_WORTH of the run in both groups together, and numbers of things that vary. A
 * number that is the same in all runs of each group needs no test: it differs, or it does not.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_COMPARE_COMPARE_H
#define HEDDLE_ANALYZER_FINDINGS_COMPARE_COMPARE_H

#include "analyzer/findings/compare/rows.h"

#define COMPARE_WORTH 1.0 /* percent of the run */

enum compare_outcome {
  COMPARE_SAME,      /* no difference is proved */
  COMPARE_MORE,      /* a time: slower */
  COMPARE_LESS,      /* a time: faster */
  COMPARE_NEW,       /* old runs lack the row */
  COMPARE_GONE,      /* new runs lack it */
  COMPARE_TOO_FEW,   /* no arrangement of so few runs could prove a difference */
  COMPARE_NOT_TESTED /* less than COMPARE_WORTH; or a better figure of the same is tested */
};

struct compared {
  size_t row;
  enum run_figure figure;
  enum compare_outcome outcome;
  double medians[2];       /* of old and new runs */
  double shift, low, high; /* new less old, and its interval of 95 % (NAN: too few runs), in the unit of the figure */
  double of_run;           /* percent of the run's time, the mean of all runs; NAN: not a time */
  double p;                /* corrected; NAN: not tested */
  bool is_exact;           /* all runs of a group have the same number */
  bool is_worse;           /* slower by the threshold or more */
};

enum compare_verdict { VERDICT_NO_WORSE, VERDICT_WORSE, VERDICT_TOO_FEW };

struct compare_options {
  double level; /* of all tests */
  double worse; /* percent: how much slower is worse */
};

struct comparison {
  struct compare_options options;
  const struct runs *runs;
  size_t counts[2]; /* the first runs are the old ones */
  struct matched_rows rows;
  VECTOR(struct compared) list; /* the run first; then what changed most of the run; by row otherwise */
  size_t tests[2];              /* numbers of tests: the run's, and other rows' */
  double weights[2];            /* their weights together */
  enum compare_verdict verdict;
  unsigned needed;      /* TOO_FEW: runs of each group to decide, about */
  unsigned rows_needed; /* runs of each group from which on the largest row can be tested */
};

/* Fills in RUN_RELATIVE of the runs. False: out of memory. compare_free() in any case; the runs outlive the comparison.
 */
bool compare_runs(struct runs *runs, size_t old_count, const struct compare_options *options,
                  struct comparison *comparison);
void compare_free(struct comparison *comparison);

/* "slower", "more", "new", ... */
const char *compare_outcome_name(const struct compared *compared);
/* The change in percent of the old median; infinite where that is 0. */
double compare_percent(const struct compared *compared, double shift);
/* The row's name in an old run, if it is another one now: else NULL. */
const struct run_row *compare_renamed(const struct comparison *comparison, size_t row);
/* The sentence that answers; the caller frees it. NULL: out of memory. */
char *compare_sentence(const struct comparison *comparison);
/* "!$omp for @a.c:12: processor time 1.2 s -> 1.3 s, +8.0 % (6.1 to 9.9)"; likewise. */
char *compared_sentence(const struct comparison *comparison, const struct compared *compared);

#endif
