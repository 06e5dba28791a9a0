/* Views of `heddle calls`: what is shown, and a function a view. Each prints; false: an error. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_VIEW_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_VIEW_H

#include "analyzer/analyses/calls/blame.h"
#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/analyses/calls/source.h"
#include "analyzer/command/analysis.h"

enum calls_by { CALLS_BY_NOTHING, CALLS_BY_THREAD, CALLS_BY_CONSTRUCT, CALLS_BY_STATE };
enum calls_shown_in { CALLS_IN_SAMPLES, CALLS_IN_TIME, CALLS_IN_PERIODS, CALLS_IN_DEFAULT };

struct calls_options {
  const char *trigger, *callers, *callees; /* NULL: not given */
  unsigned by, unit, use;                  /* enum calls_by, enum calls_shown_in, enum calls_use */
  bool tree, cycles, lines;
  double least; /* percent; negative: not given */
  uint64_t top; /* 0: the format decides */
};

/* A run, and what is shown of it. */
struct calls_view {
  const struct analysis_run *run;
  const struct calls_options *options;
  const struct trace *trace;
  struct samples *samples;
  struct calls calls;
  struct calls_tree tree;
  uint32_t trigger;
  enum calls_shown_in unit;
  struct calls_figures figures; /* of the trigger */
  struct calls_kernel kernel;
  struct calls_blame blame;
  struct calls_figures blamed; /* ticks of waiting */
  /* For exact calls: their archive has the functions of `samples`, `figures` are ticks, and there is no trigger. */
  struct exact_calls *archive; /* NULL: of samples */
  struct calls_exact exact;
  struct calls_exact_figures sums;
  char **short_names; /* by function, for people; NULL: it is short */
};

/* False: an error. calls_view_close() in any case. */
bool calls_view_open(struct calls_view *view, const struct analysis_run *run, const struct trace *trace,
                     const struct calls_options *options, struct error *error);
void calls_view_close(struct calls_view *view);

/* The ticks of waiting that are blamed on what is selected. False: no memory. calls_figures_free() in any case. */
bool calls_view_blamed(const struct calls_view *view, const struct calls_selection *selection,
                       struct calls_figures *blamed);

/* Number of triggers that count for the weights: the triggers of running code. */
uint32_t calls_weighed(const struct calls_view *view);

/* Samples in the unit of the view: a COUNT, or a DURATION. */
enum print_type calls_amount_type(const struct calls_view *view);
struct print_cell calls_amount(const struct calls_view *view, wide_total samples);

/* Which function or line; people get file and line as one: "lu.c:42". `where` lives as long as the cells. */
#define CALLS_CODE_COLUMNS                                                                                             \
  {"function", "Function", PRINT_STRING, false}, {"file", "Where", PRINT_STRING, true},                                \
      {"line", "Line", PRINT_NUMBER, true},                                                                            \
  {                                                                                                                    \
    "module", "Module", PRINT_STRING, true                                                                             \
  }
enum { CALLS_CODE_CELLS = 4 };
#define CALLS_WHERE_SIZE 512
struct print_cell *calls_put_code(const struct calls_view *view, uint32_t code, char where[CALLS_WHERE_SIZE],
                                  struct print_cell *next); /* returns the cell behind them */
/* TRACE_NONE: "(none)". People get long names of C++ without template arguments: `std::map<...>::at`. */
const char *calls_function_name(const struct calls_view *view, uint32_t code);
/* True if a function has a name: that one, or the whole. */
bool calls_is_named(const struct calls_view *view, uint32_t code, const char *name);
/* False: no memory. After the tree. */
bool calls_shorten_names(struct calls_view *view);
/* "lu.c:42"; "": unknown. */
const char *calls_where(const struct calls_view *view, uint32_t code, char text[CALLS_WHERE_SIZE]);

/* How many of `count` rows are shown. */
size_t calls_top(const struct calls_view *view, size_t count);
/* The sentence about the others: `what` names them, as "functions". */
void calls_put_more(const struct calls_view *view, const char *what, size_t shown, size_t count);

/* For exact calls (calls_exact.c): `open` fills in what calls_view_open() does. */
bool calls_exact_open(struct calls_view *view, struct error *error);
void calls_exact_put_facts(const struct calls_view *view);
/* The shortest and the longest call, and how many did not return. Returns the cell behind them. */
#define CALLS_EXACT_EXTREMES                                                                                           \
  {"shortest", "Shortest", PRINT_DURATION, true}, {"longest", "Longest", PRINT_DURATION, true},                        \
  {                                                                                                                    \
    "running", "Running", PRINT_COUNT, true                                                                            \
  }
struct print_cell *calls_exact_put_extremes(const struct calls_exact_sums *sums, struct print_cell *next);
bool calls_exact_put_flat(const struct calls_view *view);
bool calls_exact_put_threads(const struct calls_view *view);

bool calls_put_flat(const struct calls_view *view);
bool calls_put_groups(const struct calls_view *view);
bool calls_put_tree(const struct calls_view *view);
/* True if the samples have the functions whose relatives are asked for. */
bool calls_check_relatives(const struct calls_view *view, struct error *error);
bool calls_put_relatives(const struct calls_view *view);
bool calls_put_cycles(const struct calls_view *view);
bool calls_put_comparison(const struct calls_view *view, const struct calls_view *other);

/* Private to the views of `heddle calls`: rows of functions or lines with their figures. */

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

/* Their columns behind the group's columns; the first argument is the type of amounts, the second one the type of
 * margins. */
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

/* For estimates, in the unit of the amounts. */
static inline enum print_type calls_margin_type(const struct calls_view *view)
{
  return view->unit == CALLS_IN_TIME ? PRINT_MEAN : PRINT_REAL;
}

void calls_put_row(const struct calls_part *part, const struct calls_row *row);

/* Three cells: the share in percent and its interval. Returns the cell behind them. */
struct print_cell *calls_put_share(struct print_cell *next, wide_total part, wide_total all);

#endif
