/* Private to the views of `heddle calls`: rows of functions or lines with their figures. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_ROWS_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_ROWS_H

#include "analyzer/analyses/calls/calls_view.h"

/* A function or line, or the kernel. */
struct calls_row {
  uint32_t code;                 /* TRACE_NONE: the kernel */
  struct calls_flat flat, blame; /* samples; ticks of waiting */
  double kernel, deviation;      /* ticks */
  double weight;                 /* percent: the mean of its shares of the triggers */
};

struct calls_rows {
  struct calls_row *list;
  size_t count;
};

/* Rows of one table, and what they are parts of. */
struct calls_part {
  const struct calls_view *view;
  const struct calls_figures *figures, *blamed;
  wide_total all;
  const struct print_cell *group; /* its first cells; NULL: none */
  size_t group_count;
};

/* The functions with samples or blame, and the kernel's time in what is selected; those with most blame first. False:
 * no memory. Free the list also then. */
bool calls_rows_make(const struct calls_part *part, const struct calls_selection *selection, struct calls_rows *rows);

/* Their columns behind those of the group; the first argument is the type of amounts, the second one that of margins.
 */
#define CALLS_FIGURE_COLUMNS(type, margin)                                                                             \
  CALLS_CODE_COLUMNS, {"blame", "Blame", PRINT_DURATION, true},                                                        \
      {"blame_inclusive", "Inclusive", PRINT_DURATION, true}, {"self", "Self", type, false},                           \
      {"self_half_width", "+-", margin, true}, {"self_share", "Share", PRINT_PERCENT, false},                          \
      {"self_low", "from", PRINT_PERCENT, false}, {"self_high", "to", PRINT_PERCENT, false},                           \
      {"inclusive", "Inclusive", type, false}, {"inclusive_share", "Share", PRINT_PERCENT, false},                     \
      {"inclusive_low", "from", PRINT_PERCENT, true}, {"inclusive_high", "to", PRINT_PERCENT, true},                   \
      {"self_samples", "Samples", PRINT_COUNT, true}, {"inclusive_samples", "Inclusive", PRINT_COUNT, true},           \
  {                                                                                                                    \
    "weight", "Weight", PRINT_PERCENT, true                                                                            \
  }
enum { CALLS_FIGURE_CELLS = CALLS_CODE_CELLS + 14 };

/* Of estimates, in the unit of the amounts. */
static inline enum print_type calls_margin_type(const struct calls_view *view)
{
  return view->unit == CALLS_IN_TIME ? PRINT_MEAN : PRINT_REAL;
}

void calls_put_row(const struct calls_part *part, const struct calls_row *row);

/* Three cells: the share in percent and its interval. Returns the cell behind them. */
struct print_cell *calls_put_share(struct print_cell *next, wide_total part, wide_total all);

#endif
