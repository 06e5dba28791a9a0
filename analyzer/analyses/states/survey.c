#include "analyzer/analyses/states/survey.h"

#include "base/apart.h"

#include <stdlib.h>

struct census_analysis {
  const struct trace *trace;
  unsigned workers;
  struct census **parts; /* a worker */
};

struct census_lane {
  const struct census_analysis *analysis;
  struct census *census; /* the worker's */
  bool thread;           /* not counted yet */
  bool processor;        /* its regions are threads */
};

static bool census_begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct census_analysis *analysis = context;
  struct census_lane *lane = opened;
  lane->analysis = analysis;
  lane->thread = trace_is_thread(analysis->trace, location->number);
  lane->processor = trace_is_processor(analysis->trace, location->number);
  return true;
}

static void census_brought_by(void *opened, unsigned worker)
{
  struct census_lane *lane = opened;
  lane->census = lane->analysis->parts[worker];
}

static bool count_event(void *opened, const struct trace_event *event)
{
  struct census_lane *lane = opened;
  struct census *census = lane->census;
  census->threads += lane->thread;
  lane->thread = false;
  census->events++;
  census->kinds[event->kind]++;
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE && !lane->processor) {
    census->enters[event->index] += event->weight;
    struct trace_omitted omitted = trace_omitted_by(lane->analysis->trace, event);
    if (omitted.instances > 0)
      census->enters[omitted.region] += omitted.instances;
  }
  if (event->time < census->first)
    census->first = event->time;
  if (event->time > census->last)
    census->last = event->time;
  return true;
}

static void add(struct census *into, const struct census *from)
{
  for (unsigned i = 0; i < TRACE_KINDS; i++)
    into->kinds[i] += from->kinds[i];
  for (uint32_t i = 0; i < from->regions; i++)
    into->enters[i] += from->enters[i];
  if (from->first < into->first)
    into->first = from->first;
  if (from->last > into->last)
    into->last = from->last;
  into->threads += from->threads;
  into->events += from->events;
}

/* NULL: no memory. */
static struct census *create_part(uint32_t region_count)
{
  struct census *census = apart_calloc(1, sizeof *census);
  if (!census)
    return NULL;
  *census = (struct census){.first = UINT64_MAX, .regions = region_count};
  census->enters = apart_calloc((size_t)region_count + 1, sizeof *census->enters);
  if (census->enters)
    return census;
  free(census);
  return NULL;
}

static bool census_begin(void *state, const struct analysis_input *input)
{
  struct census_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->workers = pool_workers(input->pool);
  analysis->parts = calloc(analysis->workers, sizeof *analysis->parts);
  bool good = analysis->parts != NULL;
  for (unsigned i = 0; good && i < analysis->workers; i++)
    good = (analysis->parts[i] = create_part(input->trace->region_count)) != NULL;
  return good;
}

/* The first worker's part becomes the sum. */
static bool census_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct census_analysis *analysis = state;
  struct census *census = result;
  *census = *analysis->parts[0];
  analysis->parts[0]->enters = NULL;
  for (unsigned i = 1; i < analysis->workers; i++)
    add(census, analysis->parts[i]);
  return true;
}

static bool census_merge(void *into, void *from)
{
  add(into, from);
  return true;
}

static void census_free(void *result)
{
  struct census *census = result;
  free(census->enters);
  census->enters = NULL;
}

static void census_drop(void *state)
{
  struct census_analysis *analysis = state;
  for (unsigned i = 0; analysis->parts && i < analysis->workers && analysis->parts[i]; i++) {
    census_free(analysis->parts[i]);
    free(analysis->parts[i]);
  }
  free(analysis->parts);
}

const struct analysis census_analysis = {.name = "census",
                                         .state_size = sizeof(struct census_analysis),
                                         .result_size = sizeof(struct census),
                                         .begin = census_begin,
                                         .lanes = {.stateless = true,
                                                   .lane_size = sizeof(struct census_lane),
                                                   .begin = census_begin_lane,
                                                   .brought_by = census_brought_by,
                                                   .event = count_event},
                                         .end = census_end,
                                         .drop = census_drop,
                                         .merge = census_merge,
                                         .free = census_free};

struct list {
  state_sink *sink;
  void *context;
  struct state_interval held; /* may continue in the next interval; empty before the first one */
};

static void join_interval(void *lane, const struct state_interval *interval)
{
  struct list *list = lane;
  struct state_interval *held = &list->held;
  bool same = held->state == interval->state && held->construct == interval->construct;
  if (held->end > held->start && same) {
    held->end = interval->end;
    return;
  }
  if (held->end > held->start)
    list->sink(list->context, held);
  *held = *interval;
}

bool states_list(const struct trace *trace, uint32_t location, state_sink *sink, void *context, struct error *error)
{
  struct list list = {.sink = sink, .context = context};
  const struct subscriber subscriber = {.context = &list, .interval = join_interval}; /* it is the only lane */
  const struct subscriber *subscribers[] = {&subscriber};
  bool good = pass_location(trace, location, subscribers, 1, error);
  if (good && list.held.end > list.held.start)
    sink(context, &list.held);
  return good;
}
