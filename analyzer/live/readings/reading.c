#include "analyzer/live/readings/reading.h"

#include "analyzer/live/readings/moved.h"

#include <stdlib.h>

/* Words of a row may be read before and after an execution. */
static void subtract(struct profile_row *row, const struct profile_row *before)
{
  row->executions = count_since(row->executions, before->executions);
  row->contended = count_since(row->contended, before->contended);
  row->inclusive = wide_total_since(row->inclusive, before->inclusive);
  row->self = wide_total_since(row->self, before->self);
  row->waiting = wide_total_since(row->waiting, before->waiting);
  row->since_begin = wide_total_since(row->since_begin, before->since_begin);
  for (unsigned i = 0; i < PROFILE_POWERS; i++)
    row->durations[i] = count_since(row->durations[i], before->durations[i]);
}

/* In a focus what a member waits cannot be found anew: rows of others may be missing. */
static void subtract_waits(struct profile_row *row, const struct profile_row *before)
{
  row->joined = count_since(row->joined, before->joined);
}

static bool is_empty(const struct profile_row *row)
{
  return row->executions == 0 && row->self == 0 && row->inclusive == 0;
}

/* The rows of both, and their metrics, are sorted alike. Those in which nothing came are left out. False: no memory. */
static bool subtract_all(struct profiled *now, const struct profiled *before, bool focused)
{
  size_t at = 0, kept = 0;
  for (size_t i = 0; i < now->count; i++) {
    now->rows[i].joined = focused ? now->rows[i].joined : 0;
    while (at < before->count && profiled_compare_apart(&before->rows[at], &now->rows[i]) < 0)
      at++;
    if (at < before->count && profiled_compare_apart(&before->rows[at], &now->rows[i]) == 0) {
      subtract(&now->rows[i], &before->rows[at]);
      subtract_waits(&now->rows[i], &before->rows[at]);
    }
    if (!is_empty(&now->rows[i]))
      now->rows[kept++] = now->rows[i];
  }
  now->count = kept;
  if (!live_moved_samples(now, before))
    return false;
  now->metric_count = profile_metrics_subtract(now->metrics, now->metric_count, before->metrics, before->metric_count);
  return true;
}

/*
 * A thread may be looked at while it goes to another row, so that the time since went to the wrong one: that row then
 * shrinks, and the others have too much. Takes it from the largest, so that the rows have the thread's time.
 */
static void fit(struct profile_row *rows, size_t count, struct profile_life *life)
{
  wide_total sum = 0, length = count_since(life->last, life->first);
  for (size_t i = 0; i < count; i++)
    sum += rows[i].self;
  if (sum < length)
    life->first = life->last - (uint64_t)sum;
  while (sum > length) {
    struct profile_row *most = rows;
    for (size_t i = 1; i < count; i++)
      most = rows[i].self > most->self ? &rows[i] : most;
    wide_total excess = sum - length < most->self ? sum - length : most->self;
    most->self -= excess;
    sum -= excess;
  }
}

void live_fit(struct profiled *profile)
{
  for (size_t first = 0, end; first < profile->count; first = end) {
    uint32_t location = profile->rows[first].location;
    for (end = first + 1; end < profile->count && profile->rows[end].location == location; end++)
      ;
    fit(&profile->rows[first], end - first, &profile->lives[location]);
  }
}

bool live_copy_sums(const struct profiled *from, struct profiled *to)
{
  *to = (struct profiled){.count = from->count, .metric_count = from->metric_count};
  to->rows = malloc((from->count + 1) * sizeof *to->rows);
  to->metrics = malloc((from->metric_count + 1) * sizeof *to->metrics);
  if (!to->rows || !to->metrics)
    return false;
  for (size_t i = 0; i < from->metric_count; i++)
    to->metrics[i] = from->metrics[i];
  for (size_t i = 0; i < from->count; i++)
    to->rows[i] = from->rows[i];
  return true;
}

/* Sums that are apart in one of the readings alone cannot be compared. */
static bool copy(const struct live_reading *from, bool apart, struct live_reading *to)
{
  size_t threads = from->location_count;
  *to = *from;
  to->apart = (struct profiled){.rows = NULL};
  bool good = live_copy_sums(&from->profile, &to->profile);
  if (good && apart && from->apart.rows)
    good = live_copy_sums(&from->apart, &to->apart);
  to->profile.lives = malloc((threads + 1) * sizeof *to->profile.lives);
  to->threads = malloc((threads + 1) * sizeof *to->threads);
  if (!good || !to->profile.lives || !to->threads)
    return false;
  for (size_t i = 0; i < threads; i++) {
    to->profile.lives[i] = from->profile.lives[i];
    to->threads[i] = from->threads[i];
  }
  return true;
}

bool live_between(const struct live_reading *before, const struct live_reading *now, struct live_reading *between)
{
  if (!copy(now, before->apart.rows != NULL, between))
    return false;
  if (!subtract_all(&between->profile, &before->profile, now->focused) ||
      (between->apart.rows && !subtract_all(&between->apart, &before->apart, true)))
    return false;
  for (uint32_t i = 0; i < before->location_count; i++) {
    struct profile_life *life = &between->profile.lives[i];
    if (before->threads[i].over)
      *life = (struct profile_life){0, 0};
    else if (before->profile.lives[i].last != 0)
      life->first = before->profile.lives[i].last < life->last ? before->profile.lives[i].last : life->last;
  }
  live_fit(&between->profile);
  return now->focused || profiled_complete(now->trace, &between->profile);
}

void live_reading_free(struct live_reading *reading)
{
  profiled_free(&reading->profile);
  profiled_free(&reading->apart);
  free(reading->threads);
  reading->threads = NULL;
}

const char *live_place(const struct live_reading *reading, uint32_t location)
{
  const struct live_thread *thread = &reading->threads[location];
  if (thread->over)
    return "(ended)";
  if (!thread->is_inside)
    return "(unknown)";
  if (thread->region == TRACE_NONE)
    return "(outside any construct)";
  return reading->trace->regions[thread->region].name;
}
