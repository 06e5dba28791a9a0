/* How far values are from measured ones. */
#include "analyzer/models/prediction/predict.h"

#include <math.h>

static void find_range(const struct prediction_data *data, uint32_t parameter, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (uint32_t g = 0; g < data->group_count; g++) {
    *low = fmin(*low, data->groups[g].x[parameter]);
    *high = fmax(*high, data->groups[g].x[parameter]);
  }
}

/* How far x is from a measured value, in parts of the range of the measured ones; range 0: as a ratio. */
static double distance(double x, double measured, double range)
{
  return range > 0 ? 1 + fabs(x - measured) / range : fmax(x / measured, measured / x);
}

static double range_of(double low, double high)
{
  return high > low ? high - low : 1;
}

struct prediction_reach prediction_reach(const struct prediction_data *data, uint32_t parameter, double x)
{
  double low, high;
  find_range(data, parameter, &low, &high);
  struct prediction_reach reach = {x, 1, false, false};
  if (x >= low && x <= high)
    return reach;
  reach.above = x > high;
  reach.limit = reach.above ? high : low;
  reach.by_range = !(x > 0 && reach.limit > 0);
  reach.factor = distance(x, reach.limit, reach.by_range ? range_of(low, high) : 0);
  return reach;
}

/* How far the nearest combination is short of x in one direction; 1: one is not. */
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
    struct prediction_reach reach = prediction_reach(data, 0, x[0]);
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
