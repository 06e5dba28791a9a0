#include "analyzer/models/prediction/prediction.h"

#include "analyzer/models/markov/markov.h"

#include <math.h>
#include <stdlib.h>

#define FACTOR_MAX 1000.0
/* Times below this part of their mean count as this part, because 0 has no logarithm. */
#define LITTLE 1e-3

/* Parts of the interval of a time. */
struct residuals {
  double squares, without, without_squares; /* of left-out values; of predictions that were made without one */
  double within, little;                    /* variance between runs of one value; see LITTLE */
};

struct working {
  const struct prediction *prediction;
  struct prediction_estimate *estimate;
  struct prediction_point *points;
  struct residuals *residuals; /* by state, and of the total */
  const double *x;
  double factor; /* prediction_gap() */
};

static double run_ticks(const struct prediction_run *run, uint32_t state, uint32_t state_count)
{
  if (state < state_count)
    return (double)prediction_ticks(run, state);
  double sum = 0;
  for (uint32_t s = 0; s < run->state_count; s++)
    sum += (double)run->ticks[s];
  return sum;
}

static double group_ticks(const struct prediction_data *data, uint32_t group, uint32_t state)
{
  double sum = 0;
  for (uint32_t i = 0; i < data->groups[group].run_count; i++)
    sum += run_ticks(&data->runs[data->groups[group].runs[i]], state, data->state_count);
  return sum / data->groups[group].run_count;
}

/* Mean of the groups' means, and the variance of the runs' logarithms within their groups. */
static void look_at_runs(const struct prediction_data *data, uint32_t state, struct residuals *residuals)
{
  double squares = 0, sum = 0;
  uint32_t freedom = data->run_count - data->group_count;
  for (uint32_t g = 0; g < data->group_count; g++)
    sum += group_ticks(data, g, state);
  residuals->little = fmax(LITTLE * sum / data->group_count, 1e-3);
  for (uint32_t g = 0; g < data->group_count; g++) {
    const struct prediction_group *group = &data->groups[g];
    double mean = 0, own = 0;
    for (uint32_t i = 0; i < group->run_count; i++) {
      double value = log(run_ticks(&data->runs[group->runs[i]], state, data->state_count) + residuals->little);
      double delta = value - mean;
      mean += delta / (i + 1);
      own += delta * (value - mean);
    }
    squares += own;
  }
  residuals->within = freedom > 0 ? squares / freedom : 0;
}

/* Fits the chosen form to these points and evaluates it at two places. */
static void refit(const struct prediction_function *function, const struct prediction_point *points, uint32_t count,
                  const double *const x[2], double value[2])
{
  double c[PREDICTION_COEFFICIENTS_MAX];
  struct prediction_shape shape = function->shape;
  if (!prediction_form_fit(&shape, points, count, UINT32_MAX, c)) {
    shape = prediction_alone(PREDICTION_CONSTANT); /* too few are left for the form */
    prediction_form_fit(&shape, points, count, UINT32_MAX, c);
  }
  for (int i = 0; i < 2; i++)
    value[i] = count > 0 ? prediction_form_value(&shape, c, x[i]) : 0;
}

static void add_residual(struct residuals *residuals, double seen, double predicted, double there)
{
  double off = log(seen + residuals->little) - log(predicted + residuals->little);
  double at = log(there + residuals->little);
  residuals->squares += off * off;
  residuals->without += at;
  residuals->without_squares += at * at;
}

/* Predicts a group from the others, and the effect of leaving it out on the prediction at x. */
static void leave_out(struct working *working, uint32_t group)
{
  const struct prediction_data *data = working->prediction->data;
  const double *x[2] = {data->groups[group].x, working->x};
  double total[2] = {0, 0};
  for (uint32_t s = 0; s < data->state_count; s++) {
    double occupancy[2], visits[2];
    uint32_t count = prediction_occupancy_points(data, s, group, working->points);
    refit(&working->prediction->occupancy[s], working->points, count, x, occupancy);
    count = prediction_visits_points(data, s, group, working->points);
    refit(&working->prediction->visits[s], working->points, count, x, visits);
    double here = occupancy[0] * visits[0], there = occupancy[1] * visits[1];
    add_residual(&working->residuals[s], group_ticks(data, group, s), here, there);
    total[0] += here;
    total[1] += there;
  }
  add_residual(&working->residuals[data->state_count], group_ticks(data, group, data->state_count), total[0], total[1]);
}

/*
 * The logarithm of a new run's time deviates from the prediction as held-out values do, and as runs deviate from their
 * group's mean. Outside of the measured values, the loss without each value is added, and all of it grows with the
 * distance.
 */
static void set_interval(const struct working *working, const struct residuals *residuals, struct prediction_time *time)
{
  const struct prediction_data *data = working->prediction->data;
  double groups = data->group_count, factor = working->factor;
  double variance = residuals->squares / groups + residuals->within * (1 - groups / data->run_count);
  if (factor > 1) {
    double mean = residuals->without / groups;
    double spread = fmax(residuals->without_squares / groups - mean * mean, 0);
    variance += spread * (groups - 1);
  }
  double half =
      markov_student_quantile(working->estimate->level, groups - 1) * sqrt(variance) * fmin(factor, FACTOR_MAX);
  double center = time->ticks + residuals->little;
  time->low = fmax(center * exp(-half) - residuals->little, 0);
  time->high = fmin(center * exp(half), 1e300);
}

static struct prediction_estimate *create(const struct prediction_data *data, double level)
{
  struct prediction_estimate *estimate = calloc(1, sizeof *estimate);
  if (!estimate)
    return NULL;
  estimate->state_count = data->state_count;
  estimate->level = level;
  estimate->states = calloc((size_t)data->state_count + 1, sizeof *estimate->states);
  estimate->probability = calloc((size_t)data->edge_count + 1, sizeof *estimate->probability);
  if (estimate->states && estimate->probability)
    return estimate;
  prediction_estimate_free(estimate);
  return NULL;
}

void prediction_estimate_free(struct prediction_estimate *estimate)
{
  if (!estimate)
    return;
  free(estimate->states);
  free(estimate->probability);
  free(estimate);
}

static void set_means(struct working *working)
{
  const struct prediction *prediction = working->prediction;
  for (uint32_t s = 0; s < prediction->data->state_count; s++) {
    struct prediction_state_estimate *state = &working->estimate->states[s];
    const struct prediction_function *occupancy = &prediction->occupancy[s], *visits = &prediction->visits[s];
    state->occupancy = prediction_form_value(&occupancy->shape, occupancy->c, working->x);
    state->visits = prediction_form_value(&visits->shape, visits->c, working->x);
    state->time.ticks = state->occupancy * state->visits;
    working->estimate->total.ticks += state->time.ticks;
  }
  for (uint32_t e = 0; e < prediction->data->edge_count; e++)
    working->estimate->probability[e] = prediction_probability_value(&prediction->probability[e], working->x);
}

/*
 * Long run: the chain of the predicted probabilities, with one more state between runs. That state takes no time. It is
 * entered at the end of a run and left at the next begin, so the chain is irreducible for any observations.
 */

static uint32_t place(const struct prediction_data *data, uint32_t state)
{
  return state == PREDICTION_OUTSIDE ? data->state_count : state;
}

/* Scales each row to the sum of 1. */
static void scale(const struct prediction_data *data, double *probability, double *sums)
{
  for (uint32_t e = 0; e < data->edge_count; e++)
    sums[place(data, data->edges[e].from)] += probability[e];
  for (uint32_t e = 0; e < data->edge_count; e++)
    probability[e] /= sums[place(data, data->edges[e].from)];
}

static void fill(const struct prediction_data *data, const double *probability, struct markov_matrix *p)
{
  uint32_t n = data->state_count + 1;
  for (uint32_t e = 0; e < data->edge_count; e++)
    p->row[place(data, data->edges[e].from) + 1]++;
  for (uint32_t i = 0; i < n; i++)
    p->row[i + 1] += p->row[i];
  /* Each row's beginning moves to its end, which is where the next one begins: then all are moved back by one. */
  for (uint32_t e = 0; e < data->edge_count; e++) {
    size_t at = p->row[place(data, data->edges[e].from)]++;
    p->column[at] = place(data, data->edges[e].to);
    p->value[at] = probability[e];
  }
  for (uint32_t i = n; i > 0; i--)
    p->row[i] = p->row[i - 1];
  p->row[0] = 0;
}

/* Private to prediction/: fills `longrun` of all states and scales the probabilities. False: out of memory. */
static bool estimate_longrun(const struct prediction_data *data, struct prediction_estimate *estimate)
{
  uint32_t n = data->state_count + 1;
  struct markov_matrix p;
  struct markov_effort effort = {0};
  double *x = calloc(n, sizeof *x), *sums = calloc(n, sizeof *sums), all = 0;
  bool good = markov_matrix_create(&p, n, data->edge_count) && x && sums;
  if (good) {
    scale(data, estimate->probability, sums);
    fill(data, estimate->probability, &p);
    good = markov_stationary(&p, x, &effort);
  }
  for (uint32_t s = 0; good && s < data->state_count; s++)
    all += x[s] * estimate->states[s].occupancy;
  for (uint32_t s = 0; good && s < data->state_count; s++)
    estimate->states[s].longrun = all > 0 ? x[s] * estimate->states[s].occupancy / all : 0;
  markov_matrix_free(&p);
  free(x);
  free(sums);
  return good;
}

struct prediction_estimate *prediction_predict(const struct prediction *prediction, const double *x, double level)
{
  const struct prediction_data *data = prediction->data;
  struct working working = {.prediction = prediction, .x = x, .estimate = create(data, level)};
  working.factor = prediction_gap(data, x).factor;
  working.points = calloc((size_t)data->group_count + 1, sizeof *working.points);
  working.residuals = calloc((size_t)data->state_count + 1, sizeof *working.residuals);
  bool good = working.estimate && working.points && working.residuals;
  if (good) {
    set_means(&working);
    for (uint32_t s = 0; s <= data->state_count; s++)
      look_at_runs(data, s, &working.residuals[s]);
    for (uint32_t g = 0; g < data->group_count; g++)
      leave_out(&working, g);
    for (uint32_t s = 0; s < data->state_count; s++)
      set_interval(&working, &working.residuals[s], &working.estimate->states[s].time);
    set_interval(&working, &working.residuals[data->state_count], &working.estimate->total);
    good = estimate_longrun(data, working.estimate);
  }
  free(working.points);
  free(working.residuals);
  if (good)
    return working.estimate;
  prediction_estimate_free(working.estimate);
  return NULL;
}

/* Estimates a new run of the group: the mean of its runs, and Student's t by their spread. */
static void measure(const struct prediction_data *data, uint32_t group, uint32_t state, double level,
                    struct prediction_time *time)
{
  double mean = 0, squares = 0, runs = data->groups[group].run_count;
  for (uint32_t i = 0; i < data->groups[group].run_count; i++) {
    double value = run_ticks(&data->runs[data->groups[group].runs[i]], state, data->state_count), delta = value - mean;
    mean += delta / (i + 1);
    squares += delta * (value - mean);
  }
  *time = (struct prediction_time){mean, NAN, NAN};
  if (runs < 2)
    return;
  double half = markov_student_quantile(level, runs - 1) * sqrt(squares / (runs - 1) * (1 + 1 / runs));
  time->low = fmax(mean - half, 0);
  time->high = mean + half;
}

struct prediction_estimate *prediction_measured(const struct prediction_data *data, uint32_t group, double level)
{
  struct prediction_estimate *estimate = create(data, level);
  const struct prediction_group *of = &data->groups[group];
  if (!estimate)
    return NULL;
  measure(data, group, data->state_count, level, &estimate->total);
  for (uint32_t s = 0; s < data->state_count; s++) {
    struct prediction_state_estimate *state = &estimate->states[s];
    measure(data, group, s, level, &state->time);
    for (uint32_t i = 0; i < of->run_count; i++)
      state->visits += (double)prediction_visits(&data->runs[of->runs[i]], s) / of->run_count;
    state->occupancy = state->visits > 0 ? state->time.ticks / state->visits : 0;
    state->longrun = estimate->total.ticks > 0 ? state->time.ticks / estimate->total.ticks : 0;
  }
  for (uint32_t e = 0; e < data->edge_count; e++) {
    uint32_t from = data->edges[e].from;
    double leaving = 0, count = 0;
    for (uint32_t i = 0; i < of->run_count; i++) {
      count += (double)prediction_count(&data->runs[of->runs[i]], e);
      leaving += from == PREDICTION_OUTSIDE ? 1 : (double)prediction_visits(&data->runs[of->runs[i]], from);
    }
    estimate->probability[e] = leaving > 0 ? count / leaving : 0;
  }
  return estimate;
}

/* Distance of values from the measured ones. */

static void find_range(const struct prediction_data *data, uint32_t parameter, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (uint32_t g = 0; g < data->group_count; g++) {
    *low = fmin(*low, data->groups[g].x[parameter]);
    *high = fmax(*high, data->groups[g].x[parameter]);
  }
}

/* Returns the distance of x from a measured value, in parts of the measured range; range 0: as a ratio. */
static double distance(double x, double measured, double range)
{
  return range > 0 ? 1 + fabs(x - measured) / range : fmax(x / measured, measured / x);
}

static double range_of(double low, double high)
{
  return high > low ? high - low : 1;
}

struct prediction_extrapolation prediction_extrapolation(const struct prediction_data *data, uint32_t parameter,
                                                         double x)
{
  double low, high;
  find_range(data, parameter, &low, &high);
  struct prediction_extrapolation reach = {x, 1, false, false};
  if (x >= low && x <= high)
    return reach;
  reach.above = x > high;
  reach.limit = reach.above ? high : low;
  reach.by_range = !(x > 0 && reach.limit > 0);
  reach.factor = distance(x, reach.limit, reach.by_range ? range_of(low, high) : 0);
  return reach;
}

/* Returns the factor by which the nearest combination falls short of x in one direction; 1: it does not. */
static double nearest(const struct prediction_data *data, const double *x, const bool *above, const double *range)
{
  double least = INFINITY;
  for (uint32_t g = 0; g < data->group_count; g++) {
    double most = 1;
    for (uint32_t p = 0; p < data->parameter_count; p++) {
      double measured = data->groups[g].x[p];
      if (above[p] ? measured < x[p] : measured > x[p])
        most = fmax(most, distance(x[p], measured, range[p]));
    }
    least = fmin(least, most);
  }
  return least;
}

struct prediction_gap prediction_gap(const struct prediction_data *data, const double *x)
{
  struct prediction_gap gap = {1, {false, false}};
  double range[PREDICTION_PARAMETERS_MAX];
  if (data->parameter_count == 1) {
    struct prediction_extrapolation reach = prediction_extrapolation(data, 0, x[0]);
    return (struct prediction_gap){reach.factor, {reach.above, false}};
  }
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    double low, high;
    find_range(data, p, &low, &high);
    range[p] = x[p] > 0 && low > 0 ? 0 : range_of(low, high);
  }
  for (uint32_t direction = 0; direction < 1U << data->parameter_count; direction++) {
    bool above[PREDICTION_PARAMETERS_MAX] = {direction & 1, direction & 2};
    double factor = nearest(data, x, above, range);
    if (factor > gap.factor)
      gap = (struct prediction_gap){factor, {above[0], above[1]}};
  }
  return gap;
}
