/*
 * Rows of several runs side by side, which may be of edited sources. Rows match if they have the same kind, directive
 * and function. If several have, they keep their order in the file; texts of lines, if known, and numbers of lines
 * decide which ones match. Other rows are a rename if one function is new and the other one is gone. The row must also
 * be the only one of its directive, or the only one with its text.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_COMPARE_ROWS_H
#define HEDDLE_ANALYZER_FINDINGS_COMPARE_ROWS_H

#include "analyzer/findings/compare/figures.h"

#define ROW_ABSENT SIZE_MAX

struct matched_row {
  size_t *of_run; /* by run: index of its row there; ROW_ABSENT: the run has none */
  size_t latest;  /* the last run that has it */
};

struct matched_rows {
  struct runs *runs;
  VECTOR(struct matched_row) list; /* in the order of the first runs */
};

/* Matches the rows of all runs, in their order. The runs outlive it. False: out of memory; free it also then. */
bool rows_match(struct runs *runs, struct matched_rows *rows);
void rows_free(struct matched_rows *rows);

/* The row in the last run that has it. */
const struct run_row *rows_latest(const struct matched_rows *rows, size_t row);
/* The row in a run; NULL: it has none. */
const struct run_row *rows_of_run(const struct matched_rows *rows, size_t row, size_t run);

/* The value in a run. NAN: unknown. If a run lacks the row, it is 0, provided that this run has the figure in any row
 * of this kind. */
double rows_value(const struct matched_rows *rows, size_t row, size_t run, enum run_figure figure);

/* The time of the run that is 100 % for the row's figure. For lost time and waits it is all threads' time, which may be
 * much longer than their work. */
double rows_whole(const struct matched_rows *rows, size_t row, size_t run, enum run_figure figure);

/*
 * Fills in RUN_RELATIVE of constructs and lines of tasks: their time at the speed of the mean run. Each part has a
 * ratio to its mean in all runs, and the median of these ratios, weighted by time, is the run's speed. A single part
 * that changes does not change it, a slower processor does. A part with more than a third of the time would decide
 * alone, so it is no part and has none. False: out of memory.
 */
bool rows_find_relative(struct matched_rows *rows);

#endif
