/*
 * Observations: runs at several values of one or two parameters. Everything else is computed from them. Labels of
 * states make runs with different vectors comparable.
 */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_DATA_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_DATA_H

#include "analyzer/models/prediction/form.h"
#include "analyzer/models/sequences/pes.h"

/* State before a run's first transition and after its last one. */
#define PREDICTION_OUTSIDE UINT32_MAX

/*
 * Limits of a file. Fitting is quadratic in the number of values of a parameter; predicting takes all of its steps once
 * a value. Both are linear in states and transitions.
 */
enum { PREDICTION_VALUES_MAX = 200, PREDICTION_SERIES_MAX = 1000000 };

/* Limit of visits, counts and a run's ticks: a double holds them exactly. */
#define PREDICTION_COUNT_LIMIT (UINT64_C(1) << 53)

/* With fewer values of a parameter, or pairs of values, forms cannot be distinguished. */
enum { PREDICTION_VALUES_LEAST = 3, PREDICTION_PAIRS_LEAST = 5 };

struct prediction_edge {
  uint32_t from, to; /* states, or PREDICTION_OUTSIDE */
};

struct prediction_run {
  char *values[PREDICTION_PARAMETERS_MAX]; /* of the parameters */
  double x[PREDICTION_PARAMETERS_MAX];     /* the same as numbers, if all are numbers; 0 for a missing parameter */
  uint64_t *visits, *ticks;                /* by state; states of later runs are beyond state_count, with no visits */
  uint64_t *counts;                        /* by edge, likewise */
  uint32_t state_count, edge_count;
};

/* Group of runs with the same values. */
struct prediction_group {
  const char *values[PREDICTION_PARAMETERS_MAX]; /* of its first run */
  double x[PREDICTION_PARAMETERS_MAX];
  uint32_t *runs; /* their numbers */
  uint32_t run_count;
};

/* Parameter of the runs that no function uses. */
struct prediction_other {
  char *name, *value; /* of the first run that has it */
  char *different;    /* value of another run, NULL: none; "": a run that lacks the parameter */
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
  bool numeric;         /* all values are numbers, so functions can be fitted */
  void *labels, *pairs; /* private: states by label, edges by both ends */
};

/* Makes empty data. The names of 0 to PREDICTION_PARAMETERS_MAX parameters are copied. NULL: out of memory. */
struct prediction_data *prediction_data_create(const char *const *parameters, uint32_t count);
void prediction_data_free(struct prediction_data *data);

/*
 * Reads a whole run. Aliases are known: threads for OMP_NUM_THREADS, schedule for OMP_SCHEDULE. Unless `any`, its
 * program must be the program of the first run. `name` is for messages. False: an error; then the data can only be
 * freed.
 */
bool prediction_data_add(struct prediction_data *data, const char *name, struct pes_stream *stream, bool any,
                         struct error *error);

/* Groups the runs by their values, once, after the last run. False: an error, such as too many series to fit. */
bool prediction_data_group(struct prediction_data *data, struct error *error);

/*
 * Returns the next parameter from *next on that differs between runs; NULL: no more. Files of fits do not have these.
 */
const struct prediction_other *prediction_data_differs(const struct prediction_data *data, uint32_t *next);

/* Writes the names of the parameters: "threads and size". */
enum { PREDICTION_NAMES_SIZE = 256 };
const char *prediction_data_names(const struct prediction_data *data, char text[PREDICTION_NAMES_SIZE]);

/* Returns the least or greatest measured value of a parameter; in alphabetical order if not all are numbers. */
const char *prediction_data_end(const struct prediction_data *data, uint32_t parameter, bool greatest);

/* Returns the number of values of a parameter. The data are grouped. */
uint32_t prediction_data_values(const struct prediction_data *data, uint32_t parameter);

/* True if both names are equal, or one is the alias of the other. */
bool prediction_same_parameter(const char *left, const char *right);

/* Returns the share of all time, 0 to 1, in states that occur at every value; `states` gets their number. */
double prediction_data_common(const struct prediction_data *data, uint32_t *states);

/*
 * Private to prediction/. Return the number of a state or edge, a new one if it is new; UINT32_MAX: out of memory, or
 * too many.
 */
uint32_t prediction_state(struct prediction_data *data, const char *label);
uint32_t prediction_edge(struct prediction_data *data, uint32_t from, uint32_t to);

/* Makes an empty run with room for all states and edges so far, and a value a parameter. NULL: out of memory. */
struct prediction_run *prediction_run_create(struct prediction_data *data, const char *const *values);

/* Reads a text that is a finite number. False: it is not. */
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
