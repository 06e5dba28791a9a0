/* Private to prediction/: labels of states, by which states of runs with other vectors can be compared. */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_DATA_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_DATA_H

#include "analyzer/models/prediction/form.h"
#include "analyzer/models/sequences/pes.h"

/*
 * The codes of a basic state, with commas between those that don't delimit themselves. A component that shares its
 * values with no other one (as those of heddle pes --vector counts) is left out where its code is empty: so a run in
 * which nothing of that kind happened has the same labels. Aggregates: what they stand for, because T1 of one run may
 * be T2 of the next. The caller frees it. NULL: no memory.
 */
char *prediction_label(const struct pes_program *program, const struct pes_states *states, uint32_t state);

/* The observations: runs at several values of a parameter or two. All else is computed from them. */

/* Where a run's first transition comes from, and its last one goes to. */
#define PREDICTION_OUTSIDE UINT32_MAX

/*
 * Fitting is quadratic in the values of the parameter, predicting needs all of its steps once a value: both are linear
 * in states and transitions. This is what one file may ask for.
 */
enum { PREDICTION_VALUES_MAX = 200, PREDICTION_SERIES_MAX = 1000000 };

/* Visits, counts and a run's ticks are at most this: what a double holds exactly. */
#define PREDICTION_COUNT_LIMIT (UINT64_C(1) << 53)

/* Fewer values of a parameter, or pairs of values, can't tell one form from another. */
enum { PREDICTION_VALUES_LEAST = 3, PREDICTION_PAIRS_LEAST = 5 };

struct prediction_edge {
  uint32_t from, to; /* states, or PREDICTION_OUTSIDE */
};

struct prediction_run {
  char *values[PREDICTION_PARAMETERS_MAX]; /* of the parameters */
  double x[PREDICTION_PARAMETERS_MAX];     /* the same as numbers, if all are numbers; of what is no parameter 0 */
  uint64_t *visits,
      *ticks;       /* by state; states that came up in later runs are beyond state_count, and were not visited */
  uint64_t *counts; /* by edge, likewise */
  uint32_t state_count, edge_count;
};

/* Runs with the same values. */
struct prediction_group {
  const char *values[PREDICTION_PARAMETERS_MAX]; /* of its first run */
  double x[PREDICTION_PARAMETERS_MAX];
  uint32_t *runs; /* their numbers */
  uint32_t run_count;
};

/* A parameter of the runs that no function has. */
struct prediction_other {
  char *name, *value; /* of the first run that has it */
  char *different;    /* of another run, NULL: none; "": a run that lacks the parameter */
};

struct prediction_data {
  char *program, *parameters[PREDICTION_PARAMETERS_MAX];
  uint64_t ticks_per_second; /* 0: unknown */
  char **states;             /* labels, all different */
  struct prediction_edge *edges;
  struct prediction_run *runs;
  struct prediction_group *groups; /* ascending by x, or by text; by the first parameter, then the second */
  struct prediction_other *others; /* private but for prediction_data_differs() */
  uint32_t parameter_count, other_count;
  uint32_t state_count, edge_count, run_count, group_count;
  bool numeric;         /* every value is a number: functions can be fitted */
  void *labels, *pairs; /* private: what is known by its label, or by its two ends */
};

/* The names of 0 to PREDICTION_PARAMETERS_MAX parameters are copied. NULL: no memory. */
struct prediction_data *prediction_data_create(const char *const *parameters, uint32_t count);
void prediction_data_free(struct prediction_data *data);

/*
 * Reads a whole run. A value is its parameter's, or what the alias stands for: threads for OMP_NUM_THREADS, schedule
 * for OMP_SCHEDULE. Unless `any`, its program must be that of the first run.
 * `name` is for messages. False: an error; the data can only be freed then.
 */
bool prediction_data_add(struct prediction_data *data, const char *name, struct pes_stream *stream, bool any,
                         struct error *error);

/* Groups the runs by their values, once, after the last run. False: an error, also if there are too many series to fit.
 */
bool prediction_data_group(struct prediction_data *data, struct error *error);

/* The next parameter from *next on which is not the same in all runs. NULL: no more. Files of fits don't tell. */
const struct prediction_other *prediction_data_differs(const struct prediction_data *data, uint32_t *next);

/* The names of the parameters: "threads and size". */
enum { PREDICTION_NAMES_SIZE = 256 };
const char *prediction_data_names(const struct prediction_data *data, char text[PREDICTION_NAMES_SIZE]);

/* The least value that was measured of a parameter, or the greatest; by text if not all are numbers. */
const char *prediction_data_end(const struct prediction_data *data, uint32_t parameter, bool greatest);

/* How many values the runs have of one parameter. The data are grouped. */
uint32_t prediction_data_values(const struct prediction_data *data, uint32_t parameter);

/* Is it the same name, or one the alias of the other? */
bool prediction_same_parameter(const char *left, const char *right);

/* The part of all time that is spent in states which occur at every value, 0 to 1; how many states these are. */
double prediction_data_common(const struct prediction_data *data, uint32_t *states);

/* Private to prediction/. The number of what is new or known; UINT32_MAX: no memory, or too many. */
uint32_t prediction_state(struct prediction_data *data, const char *label);
uint32_t prediction_edge(struct prediction_data *data, uint32_t from, uint32_t to);

/* A run with room for all that is known by now, and nothing in it, with a value a parameter. NULL: no memory. */
struct prediction_run *prediction_run_create(struct prediction_data *data, const char *const *values);

/* A number that is finite, and nothing else. */
bool prediction_number(const char *text, double *x);

static inline uint64_t prediction_visits(const struct prediction_run *run, uint32_t state)
{
  return state < run->state_count ? run->visits[state] : 0;
}

static inline uint64_t prediction_ticks(const struct prediction_run *run, uint32_t state)
{
  return state < run->state_count ? run->ticks[state] : 0;
}

static inline uint64_t prediction_count(const struct prediction_run *run, uint32_t edge)
{
  return edge < run->edge_count ? run->counts[edge] : 0;
}

#endif
