#include "analyzer/profile/metrics.h"

#include "common/archive_names.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[PROFILE_METRICS] = {[PROFILE_TASKS] = VALUE_METRIC_TASKS,
                                                  [PROFILE_CHUNKS] = VALUE_METRIC_CHUNKS,
                                                  [PROFILE_LOCK] = VALUE_METRIC_LOCK,
                                                  [PROFILE_WAIT] = VALUE_METRIC_WAIT,
                                                  [PROFILE_EVENT] = VALUE_METRIC_EVENT,
                                                  [PROFILE_VALUE] = VALUE_METRIC_VALUE,
                                                  [PROFILE_GC] = VALUE_METRIC_GC,
                                                  [PROFILE_COST] = VALUE_METRIC_COST,
                                                  [PROFILE_METRIC_OTHER] = VALUE_METRIC_OTHER};

const char *profile_metric_key(enum profile_metric_kind kind)
{
  return keys[kind];
}

enum profile_metric_kind profile_metric_kind(const char *key)
{
  enum profile_metric_kind kind = 0;
  while (kind < PROFILE_METRICS && strcmp(key, keys[kind]) != 0)
    kind++;
  return kind < PROFILE_METRICS ? kind : PROFILE_METRIC_OTHER;
}

static int compare_numbers(uint64_t left, uint64_t right)
{
  return (left > right) - (left < right);
}

int profile_metrics_compare(const void *a, const void *b)
{
  const struct profile_metric *left = a, *right = b;
  int order = compare_numbers(left->kind, right->kind);
  order = order ? order : compare_numbers(left->region, right->region);
  order = order ? order : strcmp(left->object, right->object);
  order = order ? order : strcmp(left->attribute, right->attribute);
  order = order ? order : compare_numbers(left->is_real, right->is_real);
  order = order ? order : compare_numbers(left->around, right->around);
  return order ? order : compare_numbers(left->location, right->location);
}

/* The last value of several threads is that of the last one here that has one. */
static void add(struct profile_metric *sum, const struct profile_metric *more)
{
  bool value = sum->kind == PROFILE_VALUE || sum->kind == PROFILE_GC;
  sum->count += more->count;
  sum->contended += more->contended;
  sum->longest = more->longest > sum->longest ? more->longest : sum->longest;
  sum->ticks += more->ticks;
  sum->waiting += more->waiting;
  sum->held += more->held;
  sum->sum = (int64_t)((uint64_t)sum->sum + (uint64_t)more->sum);
  sum->real_sum += more->real_sum;
  sum->real_last = more->count > 0 ? more->real_last : sum->real_last;
  if (!value)
    sum->last = (int64_t)((uint64_t)sum->last + (uint64_t)more->last);
  else if (more->count > 0)
    sum->last = more->last;
}

void profile_metrics_merge(struct profiled *profile)
{
  size_t kept = 0;
  if (profile->metric_count > 0)
    qsort(profile->metrics, profile->metric_count, sizeof *profile->metrics, profile_metrics_compare);
  for (size_t i = 0; i < profile->metric_count; i++) {
    if (kept > 0 && profile_metrics_compare(&profile->metrics[kept - 1], &profile->metrics[i]) == 0)
      add(&profile->metrics[kept - 1], &profile->metrics[i]);
    else
      profile->metrics[kept++] = profile->metrics[i];
    profile->metrics[kept - 1].member = PROFILE_NO_MEMBER;
  }
  profile->metric_count = kept;
}

static uint64_t less(uint64_t now, uint64_t before)
{
  return now > before ? now - before : 0;
}

static wide_total less_wide(wide_total now, wide_total before)
{
  return now > before ? now - before : 0;
}

/* `longest` stays that of all. */
static void subtract(struct profile_metric *now, const struct profile_metric *before)
{
  now->count = less(now->count, before->count);
  now->contended = less(now->contended, before->contended);
  now->ticks = less_wide(now->ticks, before->ticks);
  now->waiting = less_wide(now->waiting, before->waiting);
  now->held = less_wide(now->held, before->held);
  now->sum = (int64_t)((uint64_t)now->sum - (uint64_t)before->sum);
  now->real_sum -= before->real_sum;
  if (now->kind == PROFILE_CHUNKS || now->kind == PROFILE_COST)
    now->last -= before->last;
}

void profile_metrics_subtract(struct profiled *now, const struct profiled *before)
{
  size_t at = 0, kept = 0;
  for (size_t i = 0; i < now->metric_count; i++) {
    struct profile_metric *metric = &now->metrics[i];
    while (at < before->metric_count && profile_metrics_compare(&before->metrics[at], metric) < 0)
      at++;
    if (at < before->metric_count && profile_metrics_compare(&before->metrics[at], metric) == 0)
      subtract(metric, &before->metrics[at]);
    if (metric->count > 0 || metric->held > 0 || metric->sum != 0)
      now->metrics[kept++] = *metric;
  }
  now->metric_count = kept;
}
