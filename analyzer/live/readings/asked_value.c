#include "analyzer/live/readings/asked.h"
#include "analyzer/live/readings/metric.h"
#include "analyzer/trace/definitions.h"

#include <string.h>

static enum live_asked_of of_region(const struct trace_region *region)
{
  if (region->paradigm == OTF2_PARADIGM_USER)
    return LIVE_OF_USERS;
  if (region->paradigm == OTF2_PARADIGM_PTHREAD)
    return LIVE_OF_JAVA;
  switch (region->role) {
  case OTF2_REGION_ROLE_PARALLEL:
    return LIVE_OF_REGIONS;
  case OTF2_REGION_ROLE_TASK:
    return LIVE_OF_TASKS;
  case OTF2_REGION_ROLE_BARRIER:
  case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
  case OTF2_REGION_ROLE_TASK_WAIT:
    return LIVE_OF_BARRIERS;
  case OTF2_REGION_ROLE_LOOP:
  case OTF2_REGION_ROLE_SECTIONS:
  case OTF2_REGION_ROLE_SECTION:
  case OTF2_REGION_ROLE_SINGLE:
  case OTF2_REGION_ROLE_SINGLE_SBLOCK:
  case OTF2_REGION_ROLE_WORKSHARE:
  case OTF2_REGION_ROLE_MASTER:
    return LIVE_OF_WORKS;
  default:
    return LIVE_OF_ANY;
  }
}

static bool is_of_row(const struct live_asked_metric *metric, const struct trace *trace, const struct profile_row *row)
{
  if (row->region == TRACE_NONE)
    return false;
  if (metric->of == LIVE_OF_LOCKS)
    return row->kind ==
           (metric->what == LIVE_HOW_MANY || metric->what == LIVE_HOW_HELD ? PROFILE_HOLD : PROFILE_ACQUIRE);
  if (metric->of == LIVE_OF_ANY)
    return row->kind == PROFILE_CONSTRUCT || row->kind == PROFILE_MEMBER || row->kind == PROFILE_ACQUIRE;
  return row->kind == PROFILE_CONSTRUCT && of_region(&trace->regions[row->region]) == metric->of;
}

static wide_total row_value(const struct live_asked_metric *metric, const struct profile_row *row)
{
  if (metric->of == LIVE_OF_ANY)
    return row->self;
  return metric->what == LIVE_HOW_MANY        ? row->executions
         : metric->what == LIVE_HOW_CONTENDED ? row->contended
                                              : row->inclusive;
}

static bool is_of_metric(const struct live_asked_metric *metric, enum profile_metric_kind kind)
{
  switch (metric->of) {
  case LIVE_OF_LOCKS:
    return kind == PROFILE_LOCK;
  case LIVE_OF_JAVA:
    return kind == PROFILE_WAIT;
  case LIVE_OF_TASKS_MADE:
    return kind == PROFILE_TASKS;
  case LIVE_OF_CHUNKS:
    return kind == PROFILE_CHUNKS;
  case LIVE_OF_EVENTS:
    return kind == PROFILE_EVENT;
  case LIVE_OF_VALUES:
    return kind == PROFILE_VALUE;
  case LIVE_OF_GC:
    return kind == PROFILE_GC;
  case LIVE_OF_ALLOCATED:
    return kind == PROFILE_ALLOCATED;
  case LIVE_OF_SAMPLES:
    return kind == PROFILE_SAMPLES;
  default:
    return kind == PROFILE_COST;
  }
}

static struct live_amount metric_value(const struct live_asked_metric *asked, const struct profile_metric *metric)
{
  switch (asked->what) {
  case LIVE_HOW_MANY:
    return (struct live_amount){.total = metric->count};
  case LIVE_HOW_CONTENDED:
    return (struct live_amount){.total = metric->contended};
  case LIVE_HOW_HELD:
    return (struct live_amount){.total = metric->held};
  case LIVE_HOW_ITERATED:
    return (struct live_amount){.total = (uint64_t)metric->sum};
  case LIVE_HOW_VALUED: {
    bool last = asked->unit == LIVE_LAST;
    return (struct live_amount){.known = metric->count > 0,
                                .is_real = metric->is_real,
                                .whole = last ? metric->last : metric->sum,
                                .real = last ? metric->real_last : metric->real_sum};
  }
  default:
    return (struct live_amount){.total = metric->ticks};
  }
}

void live_amount_add(enum live_asked_unit unit, struct live_amount *sum, const struct live_amount *more)
{
  sum->total += more->total;
  if (!more->known)
    return;
  if (!sum->known || unit == LIVE_LAST) {
    *sum = *more;
  } else if (sum->is_real || more->is_real) {
    sum->real = (sum->is_real ? sum->real : (double)sum->whole) + (more->is_real ? more->real : (double)more->whole);
    sum->is_real = true;
  } else {
    sum->whole = (int64_t)((uint64_t)sum->whole + (uint64_t)more->whole);
  }
}

static bool is_thread(const struct live_asked *asked, const struct live_reading *reading, uint32_t location)
{
  return !asked->focus ||
         profile_focus_has_thread(asked->focus, reading->trace, location, reading->threads[location].start);
}

static bool is_at(const struct live_asked *asked, const struct trace *trace, uint32_t region)
{
  return region != TRACE_NONE && trace_region_is_at(&trace->regions[region], asked->place, asked->place_size);
}

static bool is_named(const struct live_asked *asked, const char *name)
{
  return strlen(name) == asked->place_size && strncmp(name, asked->place, asked->place_size) == 0;
}

static bool has_row(const struct live_asked *asked, const struct trace *trace, const struct profiled *profile,
                    const struct profile_row *row)
{
  return (asked->place_size == 0 || is_at(asked, trace, row->region)) &&
         (!asked->focus || profile_focus_has_row(asked->focus, trace, profile, row));
}

static bool has_metric(const struct live_asked *asked, const struct trace *trace, const struct profile_metric *metric)
{
  bool here = asked->place_size == 0 || is_at(asked, trace, metric->region) || is_at(asked, trace, metric->around) ||
              is_named(asked, metric->object);
  return here && (!asked->focus || profile_focus_has_metric(asked->focus, trace, metric));
}

static wide_total of_threads(const struct live_asked *asked, const struct live_reading *reading,
                             const struct states_sums *sums)
{
  enum live_metric time = asked->metric->what == LIVE_HOW_RUN     ? LIVE_RUN
                          : asked->metric->what == LIVE_HOW_SYNCH ? LIVE_SYNCH
                                                                  : LIVE_IDLE;
  wide_total sum = 0;
  for (uint32_t i = 0; i < reading->location_count; i++)
    if (is_thread(asked, reading, i))
      sum += live_time_in(time, &sums->threads[i]);
  return sum;
}

struct live_amount live_asked_value(const struct live_asked *asked, const struct live_reading *reading,
                                    const struct states_sums *sums)
{
  const struct live_asked_metric *metric = asked->metric;
  const struct profiled *profile = asked->by_member ? &reading->apart : &reading->profile;
  struct live_amount sum = {.total = 0};
  if (metric->of == LIVE_OF_THREADS)
    return (struct live_amount){.total = of_threads(asked, reading, sums)};
  bool of_metrics = metric->of > LIVE_OF_THREADS || asked->by_object;
  for (size_t i = 0; !of_metrics && i < profile->count; i++) {
    const struct profile_row *row = &profile->rows[i];
    if (is_of_row(metric, reading->trace, row) && is_thread(asked, reading, row->location) &&
        has_row(asked, reading->trace, profile, row))
      sum.total += row_value(metric, row);
  }
  for (size_t i = 0; of_metrics && i < profile->metric_count; i++) {
    const struct profile_metric *one = &profile->metrics[i];
    if (!is_of_metric(metric, one->kind) || !is_thread(asked, reading, one->location) ||
        !has_metric(asked, reading->trace, one))
      continue;
    struct live_amount more = metric_value(metric, one);
    live_amount_add(metric->unit, &sum, &more);
  }
  return sum;
}
