/*
 * Change points in a series of runs: the run from which on a figure of a row differs from the runs before. Binary
 * segmentation by exact rank tests (base/rank_test.h): a series is cut where p is smallest, and its parts are searched
 * likewise. p is multiplied by the number of cuts and of figures (Bonferroni). So a steady series has a change with a
 * probability of at most the level.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_COMPARE_CHANGES_H
#define HEDDLE_ANALYZER_FINDINGS_COMPARE_CHANGES_H

#include "analyzer/findings/compare/compare.h"

#define CHANGE_RUNS 3 /* at least, on either side of a cut */

struct change {
  struct compared compared; /* the runs of the part before it, against the runs of the part from it on */
  size_t run;               /* the first run after the change */
  bool is_last;             /* no change of the figure comes after it */
};

struct changes {
  struct compare_options options;
  const struct runs *runs;
  struct matched_rows rows;
  VECTOR(struct change) list;   /* by run, then the largest part of the run first */
  size_t tests;                 /* figures that were searched */
  unsigned needed;              /* runs from which on a change in the middle can be found */
  enum compare_verdict verdict; /* WORSE: a last change is slower by the threshold */
};

/* The runs are in their order. False: out of memory. changes_free() in any case. */
bool changes_find(struct runs *runs, const struct compare_options *options, struct changes *changes);
void changes_free(struct changes *changes);

#endif
