#include "analyzer/live/profile/metrics.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

static const char *const metrics_keys[PROFILE_METRICS] = {[PROFILE_TASKS] = VALUE_METRIC_TASKS,
                                                          [PROFILE_CHUNKS] = VALUE_METRIC_CHUNKS,
                                                          [PROFILE_LOCK] = VALUE_METRIC_LOCK,
                                                          [PROFILE_WAIT] = VALUE_METRIC_WAIT,
                                                          [PROFILE_EVENT] = VALUE_METRIC_EVENT,
                                                          [PROFILE_VALUE] = VALUE_METRIC_VALUE,
                                                          [PROFILE_GC] = VALUE_METRIC_GC,
                                                          [PROFILE_COST] = VALUE_METRIC_COST,
                                                          [PROFILE_ALLOCATED] =
                                                              "allocated bytes",         /* of readings: docs/live.md */
                                                          [PROFILE_SAMPLES] = "samples", /* likewise */
                                                          [PROFILE_METRIC_OTHER] = VALUE_METRIC_OTHER};

const char *profile_metric_key(enum profile_metric_kind kind)
{
  return metrics_keys[kind];
}

enum profile_metric_kind profile_metric_kind(const char *key)
{
  enum profile_metric_kind kind = 0;
  while (kind < PROFILE_METRICS && strcmp(key, metrics_keys[kind]) != 0)
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
  order = order ? order : compare_numbers(left->location, right->location);
  return order ? order : compare_numbers(left->member, right->member);
}

/* The last value of several threads is that of the last one here that has one. */
static void metrics_add(struct profile_metric *sum, const struct profile_metric *more)
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

size_t profile_metrics_merge_apart(struct profile_metric *metrics, size_t count)
{
  size_t kept = 0;
  if (count > 0)
    qsort(metrics, count, sizeof *metrics, profile_metrics_compare);
  for (size_t i = 0; i < count; i++) {
    if (kept > 0 && profile_metrics_compare(&metrics[kept - 1], &metrics[i]) == 0)
      metrics_add(&metrics[kept - 1], &metrics[i]);
    else
      metrics[kept++] = metrics[i];
  }
  return kept;
}

size_t profile_metrics_merge(struct profile_metric *metrics, size_t count)
{
  for (size_t i = 0; i < count; i++)
    metrics[i].member = PROFILE_NO_MEMBER;
  return profile_metrics_merge_apart(metrics, count);
}

/* `longest` stays that of all. */
static void subtract(struct profile_metric *now, const struct profile_metric *before)
{
  now->count = count_since(now->count, before->count);
  now->contended = count_since(now->contended, before->contended);
  now->ticks = wide_total_since(now->ticks, before->ticks);
  now->waiting = wide_total_since(now->waiting, before->waiting);
  now->held = wide_total_since(now->held, before->held);
  now->sum = (int64_t)((uint64_t)now->sum - (uint64_t)before->sum);
  now->real_sum -= before->real_sum;
  if (now->kind == PROFILE_CHUNKS || now->kind == PROFILE_COST)
    now->last -= before->last;
}

size_t profile_metrics_subtract(struct profile_metric *metrics, size_t count, const struct profile_metric *before,
                                size_t before_count)
{
  size_t at = 0, kept = 0;
  for (size_t i = 0; i < count; i++) {
    while (at < before_count && profile_metrics_compare(&before[at], &metrics[i]) < 0)
      at++;
    if (at < before_count && profile_metrics_compare(&before[at], &metrics[i]) == 0)
      subtract(&metrics[i], &before[at]);
    if (metrics[i].count > 0 || metrics[i].held > 0 || metrics[i].sum != 0)
      metrics[kept++] = metrics[i];
  }
  return kept;
}
