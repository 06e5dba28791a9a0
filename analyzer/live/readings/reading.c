#include "analyzer/live/readings/reading.h"

#include <stdlib.h>

#define WORK_MOST 50000000u /* changes looked at: few functions lose samples, but numbers of a reading may be any */

/* Gain or loss of a function in samples of a thread. */
struct change {
  uint32_t location;
  struct profile_metric *metric; /* NULL: it is no longer there */
  bool is_new;
  int64_t self, total;
};

/* Numbers of a reading may be any. */
static int64_t moved_less(int64_t from, int64_t amount)
{
  int64_t result;
  if (__builtin_sub_overflow(from, amount, &result) || result == INT64_MIN)
    return from < 0 ? -INT64_MAX : INT64_MAX;
  return result;
}

/* The first metric of samples from `at` on; `count`: there is none. */
static size_t next_sampled(const struct profiled *profile, size_t at)
{
  while (at < profile->metric_count && profile->metrics[at].kind != PROFILE_SAMPLES)
    at++;
  return at;
}

/* Returns the number of changes. */
static size_t find_changes(struct profiled *now, const struct profiled *before, struct change *changes)
{
  size_t i = next_sampled(now, 0), k = next_sampled(before, 0), count = 0;
  while (i < now->metric_count || k < before->metric_count) {
    struct profile_metric *new = i < now->metric_count ? &now->metrics[i] : NULL;
    const struct profile_metric *old = k < before->metric_count ? &before->metrics[k] : NULL;
    int order = new == NULL ? 1 : old == NULL ? -1 : profile_metrics_compare(new, old);
    struct change *change = &changes[count++];
    *change = (struct change){.location = order <= 0 ? new->location : old->location,
                              .metric = order <= 0 ? new : NULL,
                              .is_new = order < 0,
                              .self = order <= 0 ? (int64_t)new->count : 0,
                              .total = order <= 0 ? new->sum : 0};
    if (order >= 0) {
      change->self = moved_less(change->self, (int64_t)old->count);
      change->total = moved_less(change->total, old->sum);
      k = next_sampled(before, k + 1);
    }
    i = order <= 0 ? next_sampled(now, i + 1) : i;
  }
  return count;
}

/* The part of a change that can be subtracted. A function's total is never less than its own samples. */
static int64_t free_of(const struct change *change, bool self)
{
  return change->metric == NULL ? 0
         : self                 ? change->self
                                : moved_less(change->total, change->self > 0 ? change->self : 0);
}

static void take(struct change *from, bool self, int64_t amount)
{
  if (self) {
    from->self -= amount;
    from->metric->count -= (uint64_t)amount;
  } else {
    from->total -= amount;
    from->metric->sum = (int64_t)((uint64_t)from->metric->sum - (uint64_t)amount);
  }
}

/* Takes what a function lost from others of its thread, as long as there is work left. */
static void move(struct change *changes, size_t count, uint32_t location, bool self, int64_t lost, size_t *work)
{
  while (lost > 0 && *work >= count) {
    struct change *most = NULL;
    *work -= count;
    for (size_t i = 0; i < count; i++)
      if (changes[i].location == location && free_of(&changes[i], self) > 0 &&
          (most == NULL || changes[i].is_new > most->is_new ||
           (changes[i].is_new == most->is_new && free_of(&changes[i], self) > free_of(most, self))))
        most = &changes[i];
    if (most == NULL)
      return;
    int64_t amount = free_of(most, self) < lost ? free_of(most, self) : lost;
    take(most, self, amount);
    lost -= amount;
  }
}

static void move_all(struct change *changes, size_t count, bool self)
{
  size_t work = WORK_MOST;
  for (size_t i = 0; i < count; i++) {
    int64_t change = self ? changes[i].self : changes[i].total;
    if (change >= 0)
      continue;
    move(changes, count, changes[i].location, self, -change, &work);
    if (changes[i].metric)
      take(&changes[i], self, change); /* it has what it had */
  }
}

/*
 * Corrects samples of renamed functions. Outlined code has its own name until the name of its construct is known, and
 * code in no module has none. Subtracts the samples that functions of a thread lost since `before` from functions of
 * `now` that gained, new ones first. The rest is the number of new samples. Both metrics have the same order. False:
 * out of memory.
 */
static bool correct_renamed_functions(struct profiled *now, const struct profiled *before)
{
  struct change *changes = calloc(now->metric_count + before->metric_count + 1, sizeof *changes);
  if (!changes)
    return false;
  size_t count = find_changes(now, before, changes);
  move_all(changes, count, true);
  move_all(changes, count, false);
  free(changes);
  return true;
}

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

/* The rows of both, and their metrics, are sorted alike. Rows without a change are omitted. False: no memory. */
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
  if (!correct_renamed_functions(now, before))
    return false;
  now->metric_count = profile_metrics_subtract(now->metrics, now->metric_count, before->metrics, before->metric_count);
  return true;
}

/*
 * A thread may be read while it goes to another row, so that the time since then went to the wrong row. That row then
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
