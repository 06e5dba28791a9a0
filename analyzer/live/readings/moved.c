#include "analyzer/live/readings/moved.h"

#include <stdlib.h>

#define WORK_MOST 50000000u /* changes looked at: few functions lose samples, but numbers of a reading may be any */

/* How much of a function's samples of a thread is more, or less, than before. */
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

/* What can be taken away from a change. A function's total is never less than what it has itself. */
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

bool live_moved_samples(struct profiled *now, const struct profiled *before)
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
