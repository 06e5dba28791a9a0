#include "analyzer/models/markov/file_occupancy.h"

#include <math.h>

/* Cells ascend, and with total, minimum, maximum and squares they are what some occupancies would give. */
static bool read_cells(const struct json_file *file, const json_t *cells, struct markov_distribution *occupancy,
                       bool exact, unsigned __int128 *least, unsigned __int128 *most)
{
  uint64_t before = 0, low, times;
  if (exact && json_array_size(cells) > MARKOV_EXACT_VALUES)
    return json_file_bad(file, "an exact distribution has more than %d values", MARKOV_EXACT_VALUES);
  for (size_t i = 0; i < json_array_size(cells); i++) {
    const json_t *pair = json_array_get(cells, i);
    if (!json_file_number(file, json_array_get(pair, 0), "a cell", INT64_MAX, &low) ||
        !json_file_number(file, json_array_get(pair, 1), "a cell's count", INT64_MAX, &times))
      return false;
    if (times == 0 || (i > 0 && low <= before) || (!exact && low != markov_bucket_low(low)) ||
        times > INT64_MAX - occupancy->count)
      return json_file_bad(file, "cells are empty, too large, no buckets, or don't ascend");
    before = low;
    *least += (unsigned __int128)low * times;
    *most += (unsigned __int128)(exact ? low : markov_bucket_high(low)) * times;
    if (*most >> 126 != 0)
      return json_file_bad(file, "occupancies add up to 2^63 or more");
    if (exact ? !markov_distribution_add(occupancy, low, times) : !markov_distribution_put(occupancy, low, times))
      return json_file_no_memory(file);
    if (!exact)
      occupancy->count += times;
  }
  return true;
}

bool markov_read_occupancy(const struct json_file *file, const json_t *object, struct markov_distribution *occupancy)
{
  uint64_t total, min, max;
  unsigned __int128 least = 0, most = 0;
  const json_t *cells = json_object_get(object, "cells");
  const json_t *exact = json_object_get(object, "exact"), *squares = json_object_get(object, "squares");
  if (!json_is_array(cells))
    return json_file_bad(file, "cells is not a list");
  if (!json_file_number(file, json_object_get(object, "total"), "total", INT64_MAX, &total) ||
      !json_file_number(file, json_object_get(object, "min"), "min", total, &min) ||
      !json_file_number(file, json_object_get(object, "max"), "max", total, &max))
    return false;
  if (!json_is_boolean(exact) || !json_is_number(squares) || json_array_size(cells) == 0)
    return json_file_bad(file, "an occupancy lacks cells, exact or squares");
  occupancy->exact = json_is_true(exact);
  if (!read_cells(file, cells, occupancy, json_is_true(exact), &least, &most))
    return false;
  if (total < least || total > most)
    return json_file_bad(file, "an occupancy's total does not fit its cells");
  double sum = json_number_value(squares), range = (double)max - (double)min;
  if (occupancy->exact) {
    if (occupancy->min != min || occupancy->max != max)
      return json_file_bad(file, "minimum or maximum don't fit the cells");
    if (!(fabs(sum - occupancy->squares) <= 1e-6 * occupancy->squares))
      return json_file_bad(file, "the squares of an occupancy don't fit its cells");
    occupancy->squares = sum; /* to the last digit what was written, whatever order it was summed up in */
    return true;
  }
  uint64_t first = (uint64_t)json_integer_value(json_array_get(json_array_get(cells, 0), 0));
  uint64_t last = (uint64_t)json_integer_value(json_array_get(json_array_get(cells, json_array_size(cells) - 1), 0));
  if (markov_bucket_low(min) != first || markov_bucket_low(max) != last)
    return json_file_bad(file, "minimum or maximum don't fit the cells");
  if (!(sum >= 0 && sum <= (double)occupancy->count * range * range * 1.001))
    return json_file_bad(file, "the squares of an occupancy are impossible");
  occupancy->total = total;
  occupancy->min = min;
  occupancy->max = max;
  occupancy->squares = sum;
  occupancy->mean = markov_distribution_mean(occupancy);
  return true;
}
