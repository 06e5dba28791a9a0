#include "analyzer/live/profile/profile.h"

#include "base/count_of.h"
#include "base/vector.h"
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

/* The last value of several threads is the last value here of any thread that has one. */
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

/* `longest` remains the longest of all. */
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

struct row_list {
  VECTOR(struct profile_row) rows;
  VECTOR(struct profile_metric) metrics;
};

struct reader {
  const struct trace *trace;
  struct row_list *lists;     /* one a location */
  struct profile_life *lives; /* likewise */
};

struct lane {
  const struct reader *reader;
  uint32_t location;
};

static const char *const profile_keys[PROFILE_KINDS] = {
    [PROFILE_CONSTRUCT] = VALUE_ROW_CONSTRUCT, [PROFILE_MEMBER] = VALUE_ROW_MEMBER,
    [PROFILE_ACQUIRE] = VALUE_ROW_ACQUIRE,     [PROFILE_HOLD] = VALUE_ROW_HOLD,
    [PROFILE_OUTSIDE] = VALUE_ROW_OUTSIDE,     [PROFILE_OTHER] = VALUE_ROW_OTHER,
    [PROFILE_TOOL] = VALUE_ROW_TOOL,           [PROFILE_NOT_MEASURED] = VALUE_ROW_NOT_MEASURED};

const char *profiled_kind_key(enum profile_kind kind)
{
  return profile_keys[kind];
}

enum profile_kind profiled_kind(const char *key)
{
  enum profile_kind kind = 0;
  while (kind < PROFILE_KINDS && strcmp(key, profile_keys[kind]) != 0)
    kind++;
  return kind < PROFILE_KINDS ? kind : PROFILE_OTHER;
}

const char *profiled_row_name(const struct trace *trace, const struct profile_row *row)
{
  switch (row->kind) {
  case PROFILE_OUTSIDE:
    return "(outside any construct)";
  case PROFILE_OTHER:
    return "(other constructs: the recorder's table was full)";
  case PROFILE_TOOL:
    return "(measurement)";
  case PROFILE_NOT_MEASURED:
    return "(not measured)";
  default:
    return row->region == TRACE_NONE ? "(unknown)" : trace->regions[row->region].name;
  }
}

static bool says(const struct trace *trace, const char *wanted)
{
  const char *text = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_PROFILE);
  return text && strcmp(text, wanted) == 0;
}

bool profiled_is(const struct trace *trace)
{
  return says(trace, "1");
}

bool profiled_has(const struct trace *trace)
{
  return says(trace, VALUE_PROFILE_BESIDE);
}

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct lane *lane = malloc(sizeof *lane);
  if (lane)
    *lane = (struct lane){context, location->number};
  else
    error_set(error, "out of memory");
  return lane;
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  free(lane);
}

static bool take_row(const struct lane *lane, const struct trace_event *event, const char *kind)
{
  const struct trace *trace = lane->reader->trace;
  struct profile_row row = {.location = lane->location,
                            .member = (uint32_t)trace_attribute(event, trace->number, PROFILE_NO_MEMBER),
                            .region = trace_attribute_region(trace, event, trace->omitted_construct),
                            .kind = profiled_kind(kind),
                            .executions = trace_attribute(event, trace->instances, 0),
                            .longest = trace_attribute(event, trace->longest, 0),
                            .contended = trace_attribute(event, trace->contended, 0),
                            .inclusive = trace_attribute(event, trace->time, 0),
                            .self = trace_attribute(event, trace->self, 0),
                            .waiting = trace_attribute(event, trace->waiting, 0),
                            .since_begin = trace_attribute(event, trace->since_begin, 0)};
  for (unsigned i = 0; i < PROFILE_POWERS; i++)
    row.durations[i] = trace_attribute(event, trace->durations[i], 0);
  return vector_push(&lane->reader->lists[lane->location].rows, row);
}

static bool take_metric(const struct lane *lane, const struct trace_event *event)
{
  const struct trace *trace = lane->reader->trace;
  const char *kind = trace_attribute_text(trace, event, trace->metric);
  const char *about = trace_attribute_text(trace, event, trace->about);
  const char *value_of = trace_attribute_text(trace, event, trace->value_of);
  struct profile_metric metric = {.kind = kind ? profile_metric_kind(kind) : PROFILE_METRIC_OTHER,
                                  .location = lane->location,
                                  .region = trace_attribute_region(trace, event, trace->omitted_construct),
                                  .around = trace_attribute_region(trace, event, trace->around),
                                  .member = (uint32_t)trace_attribute(event, trace->number, PROFILE_NO_MEMBER),
                                  .object = about ? about : "",
                                  .attribute = value_of ? value_of : "",
                                  .count = trace_attribute(event, trace->instances, 0),
                                  .contended = trace_attribute(event, trace->contended, 0),
                                  .longest = trace_attribute(event, trace->longest, 0),
                                  .ticks = trace_attribute(event, trace->time, 0),
                                  .waiting = trace_attribute(event, trace->waiting, 0),
                                  .held = trace_attribute(event, trace->held, 0),
                                  .sum = trace_attribute_signed(event, trace->sum, 0),
                                  .last = trace_attribute_signed(event, trace->last, 0)};
  metric.is_real = trace_attribute_real(event, trace->real_sum, &metric.real_sum);
  trace_attribute_real(event, trace->real_last, &metric.real_last);
  return vector_push(&lane->reader->lists[lane->location].metrics, metric);
}

static bool take_event(void *opened, const struct trace_event *event)
{
  const struct lane *lane = opened;
  const struct trace *trace = lane->reader->trace;
  struct profile_life *life = &lane->reader->lives[lane->location];
  if (life->last == 0)
    life->first = event->time;
  life->last = event->time;
  const char *row_text =
      event->kind == TRACE_Enter && event->attributes ? trace_attribute_text(trace, event, trace->row) : NULL;
  if (!row_text)
    return true;
  return strcmp(row_text, VALUE_ROW_METRIC) == 0 ? take_metric(lane, event) : take_row(lane, event, row_text);
}

static int compare_rows(const void *a, const void *b)
{
  const struct profile_row *left = a, *right = b;
  if (left->location != right->location)
    return left->location < right->location ? -1 : 1;
  if (left->region != right->region)
    return left->region < right->region ? -1 : 1;
  return (left->kind > right->kind) - (left->kind < right->kind);
}

static void profile_add(struct profile_row *sum, const struct profile_row *row)
{
  sum->executions += row->executions;
  sum->contended += row->contended;
  sum->joined += row->joined;
  sum->inclusive += row->inclusive;
  sum->self += row->self;
  sum->waiting += row->waiting;
  sum->since_begin += row->since_begin;
  sum->longest = row->longest > sum->longest ? row->longest : sum->longest;
  for (unsigned i = 0; i < PROFILE_POWERS; i++)
    sum->durations[i] += row->durations[i];
}

int profiled_compare_apart(const void *a, const void *b)
{
  const struct profile_row *left = a, *right = b;
  int order = compare_rows(a, b);
  return order ? order : (left->member > right->member) - (left->member < right->member);
}

/* Sorts the rows and merges equal ones. */
static void merge(struct profiled *profile, int (*compare)(const void *, const void *))
{
  size_t kept = 0;
  if (profile->count > 0)
    qsort(profile->rows, profile->count, sizeof *profile->rows, compare);
  for (size_t i = 0; i < profile->count; i++) {
    if (kept > 0 && compare(&profile->rows[kept - 1], &profile->rows[i]) == 0)
      profile_add(&profile->rows[kept - 1], &profile->rows[i]);
    else
      profile->rows[kept++] = profile->rows[i];
  }
  profile->count = kept;
}

void profiled_merge(struct profiled *profile)
{
  merge(profile, compare_rows);
  for (size_t i = 0; i < profile->count; i++)
    profile->rows[i].member = PROFILE_NO_MEMBER;
  profile->metric_count = profile_metrics_merge(profile->metrics, profile->metric_count);
}

static bool is_region(const struct trace *trace, const struct profile_row *row)
{
  return row->kind == PROFILE_CONSTRUCT && row->region != TRACE_NONE &&
         trace->regions[row->region].role == OTF2_REGION_ROLE_PARALLEL;
}

/* The number of regions that the member's thread encountered itself, as number 0. The rows are sorted. */
static uint64_t encountered(const struct profiled *profile, const struct profile_row *member)
{
  if (member->member != PROFILE_NO_MEMBER)
    return member->member == 0 ? member->executions : 0;
  struct profile_row wanted = {.location = member->location, .region = member->region, .kind = PROFILE_CONSTRUCT};
  const struct profile_row *row = bsearch(&wanted, profile->rows, profile->count, sizeof wanted, compare_rows);
  return row ? row->executions : 0;
}

/*
 * The wait of each member at the last barriers of its regions. The ends of the barriers come from the threads that
 * encountered the regions, the arrivals from each member. False: no memory.
 */
static bool find_waits(const struct trace *trace, struct profiled *profile)
{
  struct ends {
    wide_total since_begin;
    uint64_t executions;
  } *ends = calloc(trace->region_count + 1, sizeof *ends);
  if (!ends)
    return false;
  for (size_t i = 0; i < profile->count; i++)
    if (is_region(trace, &profile->rows[i])) {
      ends[profile->rows[i].region].since_begin += profile->rows[i].since_begin;
      ends[profile->rows[i].region].executions += profile->rows[i].executions;
    }
  for (size_t i = 0; i < profile->count; i++) {
    struct profile_row *row = &profile->rows[i];
    if (row->kind != PROFILE_MEMBER || row->region == TRACE_NONE || ends[row->region].executions == 0)
      continue;
    uint64_t own = encountered(profile, row);
    row->joined = row->executions > own ? row->executions - own : 0;
    const struct ends *end = &ends[row->region];
    /* A member of some of the regions only: the mean region's. */
    wide_total until = row->executions == end->executions
                           ? end->since_begin
                           : (wide_total)((double)end->since_begin * (double)row->executions / (double)end->executions);
    row->waiting = until > row->since_begin ? until - row->since_begin : 0;
  }
  free(ends);
  return true;
}

bool profiled_complete(const struct trace *trace, struct profiled *profile)
{
  profiled_merge(profile);
  return find_waits(trace, profile);
}

bool profiled_complete_apart(const struct trace *trace, struct profiled *profile)
{
  merge(profile, profiled_compare_apart);
  return find_waits(trace, profile);
}

static bool gather(struct reader *reader, struct profiled *profile)
{
  size_t rows = 0, metrics = 0;
  for (uint32_t i = 0; i < reader->trace->location_count; i++) {
    rows += reader->lists[i].rows.count;
    metrics += reader->lists[i].metrics.count;
  }
  profile->rows = malloc((rows + 1) * sizeof *profile->rows);
  profile->metrics = malloc((metrics + 1) * sizeof *profile->metrics);
  if (!profile->rows || !profile->metrics)
    return false;
  for (uint32_t i = 0; i < reader->trace->location_count; i++) {
    const struct row_list *list = &reader->lists[i];
    for (size_t k = 0; k < list->rows.count; k++)
      profile->rows[profile->count++] = list->rows.items[k];
    for (size_t k = 0; k < list->metrics.count; k++)
      profile->metrics[profile->metric_count++] = list->metrics.items[k];
  }
  return profiled_complete(reader->trace, profile);
}

bool profiled_read(const struct trace *trace, struct pool *pool, struct profiled *profile, struct error *error)
{
  *profile = (struct profiled){.rows = NULL};
  struct reader reader = {.trace = trace};
  reader.lists = calloc(trace->location_count + 1, sizeof *reader.lists);
  reader.lives = profile->lives = calloc(trace->location_count + 1, sizeof *reader.lives);
  struct subscriber subscriber = {
      .context = &reader, .stateless = true, .open = open_lane, .event = take_event, .close = close_lane};
  const struct subscriber *subscribers[] = {&subscriber};
  bool good = (reader.lists && reader.lives) || error_set(error, "out of memory");
  good = good && pass_locations(trace, pool, subscribers, COUNT_OF(subscribers), error);
  if (good && !gather(&reader, profile))
    good = error_set(error, "out of memory");
  for (uint32_t i = 0; reader.lists && i < trace->location_count; i++) {
    vector_free(&reader.lists[i].rows);
    vector_free(&reader.lists[i].metrics);
  }
  free(reader.lists);
  return good;
}

void profiled_free(struct profiled *profile)
{
  free(profile->rows);
  free(profile->metrics);
  free(profile->lives);
  *profile = (struct profiled){.rows = NULL};
}

bool profiled_sum(const struct profiled *profile, struct profiled *sum)
{
  *sum = (struct profiled){.rows = malloc((profile->count + 1) * sizeof *sum->rows),
                           .count = profile->count,
                           .metrics = malloc((profile->metric_count + 1) * sizeof *sum->metrics),
                           .metric_count = profile->metric_count};
  if (!sum->rows || !sum->metrics) {
    profiled_free(sum);
    return false;
  }
  for (size_t i = 0; i < profile->count; i++) {
    sum->rows[i] = profile->rows[i];
    sum->rows[i].location = TRACE_NONE;
  }
  for (size_t i = 0; i < profile->metric_count; i++) {
    sum->metrics[i] = profile->metrics[i];
    sum->metrics[i].location = TRACE_NONE;
  }
  profiled_merge(sum);
  return true;
}

wide_total profiled_time(const struct profiled *profile)
{
  wide_total sum = 0;
  for (size_t i = 0; i < profile->count; i++)
    sum += profile->rows[i].self;
  return sum;
}

uint64_t profiled_quantile(const struct profile_row *row, double share)
{
  uint64_t known = 0, so_far = 0;
  for (unsigned i = 0; i < PROFILE_POWERS; i++)
    known += row->durations[i];
  for (unsigned i = 0; i < PROFILE_POWERS; i++) {
    so_far += row->durations[i];
    if (so_far > 0 && (double)so_far >= share * (double)known)
      return 1ull << i < row->longest ? 1ull << i : row->longest;
  }
  return 0;
}
