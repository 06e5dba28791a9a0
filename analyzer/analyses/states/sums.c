#include "analyzer/analyses/states/sums.h"

#include "base/apart.h"

#include <stdlib.h>

bool by_callers_take(struct by_callers *waits, const struct trace *trace, const struct trace_event *event,
                     struct callers *into)
{
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE) {
    const char *callers = trace_attribute_text(trace, event, trace->callers);
    struct by_callers_open begun = {event->index, callers, event->time};
    return !callers || vector_push(&waits->open, begun);
  }
  if (event->kind != TRACE_Leave || waits->open.count == 0)
    return true;
  const struct by_callers_open *innermost = &waits->open.items[waits->open.count - 1];
  if (innermost->region != event->index)
    return true;
  waits->open.count--;
  return callers_add(into, 0, innermost->region, innermost->callers, event->time - innermost->since);
}

void by_callers_free(struct by_callers *waits)
{
  vector_free(&waits->open);
}

static struct estimated_place *place_of(struct estimated_lane *lane, uint32_t region)
{
  uint64_t *known = hash_find(&lane->index, region);
  if (known)
    return &lane->places.items[*known];
  size_t at = lane->places.count;
  if (!vector_push(&lane->places, ((struct estimated_place){.region = region})) || !hash_add(&lane->index, region, at))
    return NULL;
  return &lane->places.items[at];
}

static void add_step(struct estimated_place *place, const struct sampling_step *step)
{
  for (unsigned i = 0; i < step->count; i++)
    estimate_add(&place->more, &step->parts[i].more);
}

static bool close_top(struct estimated_lane *lane)
{
  struct estimated_open top = lane->open.items[--lane->open.count];
  if (top.part) {
    if (lane->open.count > 0)
      lane->open.items[lane->open.count - 1].own += top.own;
    return true;
  }
  struct estimated_place *place = place_of(lane, top.region);
  struct sampling_step step;
  if (!place)
    return false;
  sampling_take(&place->sampling, top.weight, (struct sample){top.own, 0}, &step);
  add_step(place, &step);
  return true;
}

static bool leave(struct estimated_lane *lane, uint32_t region)
{
  size_t at = lane->open.count;
  while (at > 0 && lane->open.items[at - 1].region != region)
    at--;
  bool good = true;
  while (good && at > 0 && lane->open.count >= at)
    good = close_top(lane);
  return good;
}

static bool take_omitted(struct estimated_lane *lane, const struct trace *trace, const struct trace_event *event)
{
  struct trace_omitted omitted = trace_omitted_by(trace, event);
  if (omitted.instances == 0)
    return true;
  struct estimated_place *place = place_of(lane, omitted.region);
  if (place)
    place->after += omitted.instances;
  return place != NULL;
}

bool estimated_take(struct estimated_lane *lane, const struct trace *trace, const struct trace_event *event,
                    uint64_t measured, bool part)
{
  if (lane->open.count > 0)
    lane->open.items[lane->open.count - 1].own += measured - lane->since;
  lane->since = measured;
  if (event->kind == TRACE_Leave)
    return leave(lane, event->index);
  return take_omitted(lane, trace, event) &&
         vector_push(&lane->open, ((struct estimated_open){event->index, part, event->weight, 0}));
}

bool estimated_end(struct estimated_lane *lane, uint32_t location, struct estimated_list *list)
{
  bool good = true;
  for (size_t i = 0; good && i < lane->places.count; i++) {
    struct estimated_place *place = &lane->places.items[i];
    struct sampling_step step;
    sampling_end(&place->sampling, place->after, &step);
    add_step(place, &step);
    if (place->more.omitted > 0)
      good = vector_push(&list->items, ((struct states_estimated){place->region, location, place->more}));
  }
  return good;
}

void estimated_free(struct estimated_lane *lane)
{
  vector_free(&lane->open);
  vector_free(&lane->places);
  hash_free(&lane->index);
}

struct states_sums_analysis {
  const struct trace *trace;
  unsigned workers;
  bool reads; /* the archive has readings */
  struct states_thread *threads;
  struct states_construct **parts;  /* a worker: one a region, and one for time outside */
  struct estimated_list *estimated; /* a worker */
  struct callers *callers;          /* likewise */
};

struct sums_lane {
  struct states_sums_analysis *analysis;
  const struct pass_location *location;
  struct states_construct *part;    /* the worker's */
  struct estimated_list *estimated; /* likewise */
  struct callers *callers;          /* likewise */
  bool thread;
  uint64_t events;
  wide_total off[STATES];
  wide_total run_queue;
  struct readings readings;
  struct estimated_lane samples;
  struct by_callers waits;
};

static struct states_construct *part_of(struct sums_lane *lane, uint32_t construct)
{
  return &lane->part[construct == TRACE_NONE ? lane->analysis->trace->region_count : construct];
}

static bool take_share(void *opened, const struct readings_share *share)
{
  struct sums_lane *lane = opened;
  lane->off[share->state] += share->off;
  lane->run_queue += share->state == STATE_UNMEASURED ? 0 : share->ready; /* a part of measured time */
  part_of(lane, share->construct)->off += share->off;
  part_of(lane, share->construct)->run_queue += share->ready;
  return true;
}

static bool sums_begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  struct states_sums_analysis *analysis = context;
  struct sums_lane *lane = opened;
  lane->analysis = analysis;
  lane->location = location;
  lane->thread = trace_is_thread(analysis->trace, location->number);
  lane->readings = (struct readings){.trace = analysis->trace, .take = take_share, .context = lane};
  return true;
}

static void sums_close_lane(void *context, void *opened)
{
  (void)context;
  struct sums_lane *lane = opened;
  estimated_free(&lane->samples);
  by_callers_free(&lane->waits);
  readings_free(&lane->readings);
}

static void sums_brought_by(void *opened, unsigned worker)
{
  struct sums_lane *lane = opened;
  lane->part = lane->analysis->parts[worker];
  lane->estimated = &lane->analysis->estimated[worker];
  lane->callers = &lane->analysis->callers[worker];
}

static void add_interval(void *opened, const struct state_interval *interval)
{
  struct sums_lane *lane = opened;
  if (!lane->thread)
    return;
  lane->off[interval->state] += interval->off;
  part_of(lane, interval->construct)->ticks[interval->state] += interval->end - interval->start;
  if (lane->analysis->reads)
    readings_interval(&lane->readings, interval, 0);
}

static bool take_event(void *opened, const struct trace_event *event)
{
  struct sums_lane *lane = opened;
  if (!lane->thread)
    return true;
  lane->events++;
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE && !lane->location->view->in_part)
    lane->part[event->index].calls += event->weight;
  if (event->kind == TRACE_Metric && lane->analysis->reads)
    readings_event(&lane->readings, event);
  return true;
}

/* The same, if the archive has weights: executions may be omitted. */
static bool take_weighted(void *opened, const struct trace_event *event)
{
  struct sums_lane *lane = opened;
  const struct trace *trace = lane->analysis->trace;
  bool begin = event->kind == TRACE_Enter;
  take_event(lane, event);
  if (!lane->thread || (!begin && event->kind != TRACE_Leave) || event->index == TRACE_NONE)
    return true;
  struct trace_omitted omitted = trace_omitted_by(trace, event);
  if (omitted.instances > 0)
    lane->part[omitted.region].calls += omitted.instances;
  uint64_t measured = event->time - machine_total(lane->location->view, STATE_UNMEASURED);
  return estimated_take(&lane->samples, trace, event, measured, begin && lane->location->view->in_part);
}

static bool has_weights(const struct trace *trace)
{
  return trace->weight != OTF2_UNDEFINED_ATTRIBUTE;
}

/* The same, if the archive has callers of waits. */
static bool take_called(void *opened, const struct trace_event *event)
{
  struct sums_lane *lane = opened;
  const struct trace *trace = lane->analysis->trace;
  bool good = has_weights(trace) ? take_weighted(lane, event) : take_event(lane, event);
  if (!good || !lane->thread)
    return good;
  return by_callers_take(&lane->waits, trace, event, lane->callers);
}

static bool keep_thread(void *opened)
{
  struct sums_lane *lane = opened;
  if (!lane->thread)
    return true;
  if (!readings_end(&lane->readings))
    return false;
  const struct pass_location *location = lane->location;
  struct states_thread *thread = &lane->analysis->threads[location->number];
  for (unsigned i = 0; i < STATES; i++) {
    thread->ticks[i] = location->ticks[i];
    thread->off[i] = lane->off[i];
  }
  thread->run_queue = lane->run_queue;
  thread->alive = location->alive;
  thread->first = location->first;
  thread->last = location->last;
  thread->events = lane->events;
  thread->unmatched = location->alive ? location->view->unmatched : 0;
  return estimated_end(&lane->samples, location->number, lane->estimated);
}

static bool sums_begin(void *state, const struct analysis_input *input)
{
  struct states_sums_analysis *analysis = state;
  const struct trace *trace = input->trace;
  analysis->trace = trace;
  analysis->reads = readings_exist(trace);
  analysis->workers = pool_workers(input->pool);
  analysis->threads = calloc(trace->location_count + 1, sizeof *analysis->threads);
  analysis->parts = calloc(analysis->workers, sizeof *analysis->parts);
  analysis->estimated = calloc(analysis->workers, sizeof *analysis->estimated);
  analysis->callers = calloc(analysis->workers, sizeof *analysis->callers);
  bool good = analysis->threads && analysis->parts && analysis->estimated && analysis->callers;
  for (unsigned i = 0; good && i < analysis->workers; i++)
    good = (analysis->parts[i] = apart_calloc((size_t)trace->region_count + 1, sizeof **analysis->parts)) != NULL;
  return good;
}

static void sums_adapt(const void *state, struct subscriber *lanes)
{
  const struct trace *trace = ((const struct states_sums_analysis *)state)->trace;
  if (trace_may_have_callers(trace))
    lanes->event = take_called;
  else if (has_weights(trace))
    lanes->event = take_weighted;
}

static void merge_constructs(struct states_construct *sums, const struct states_construct *part, uint32_t region_count)
{
  for (uint32_t i = 0; i <= region_count; i++) {
    sums[i].calls += part[i].calls;
    sums[i].off += part[i].off;
    sums[i].run_queue += part[i].run_queue;
    for (unsigned state = 0; state < STATES; state++)
      sums[i].ticks[state] += part[i].ticks[state];
  }
}

static int compare_estimated(const void *a, const void *b)
{
  const struct states_estimated *left = a, *right = b;
  if (left->region != right->region)
    return left->region < right->region ? -1 : 1;
  return (left->location > right->location) - (left->location < right->location);
}

/* Adds to a list that is sorted, so that sums over it do not depend on how a trace is split. False: no memory. */
static bool add_estimated(struct states_sums *sums, const struct states_estimated *list, size_t count)
{
  if (count == 0)
    return true;
  struct states_estimated *both = realloc(sums->estimated, (sums->estimated_count + count) * sizeof *both);
  if (!both)
    return false;
  for (size_t i = 0; i < count; i++)
    both[sums->estimated_count++] = list[i];
  sums->estimated = both;
  qsort(both, sums->estimated_count, sizeof *both, compare_estimated);
  return true;
}

/* For lists that are in order. False: no memory. */
static bool merge_callers(struct callers *into, const struct callers *from)
{
  struct callers both = {0};
  bool good = callers_merge(&both, into) && callers_merge(&both, from);
  callers_order(&both);
  callers_free(into);
  *into = both;
  return good;
}

static bool sums_merge(void *to, void *other)
{
  struct states_sums *into = to;
  const struct states_sums *from = other;
  if (!add_estimated(into, from->estimated, from->estimated_count) || !merge_callers(&into->callers, &from->callers))
    return false;
  for (uint32_t i = 0; i < from->locations; i++)
    if (from->threads[i].alive)
      into->threads[i] = from->threads[i];
  merge_constructs(into->constructs, from->constructs, from->regions);
  return true;
}

struct estimate states_sums_more(const struct states_sums *sums, uint32_t region)
{
  struct estimate more = {0};
  for (size_t i = 0; i < sums->estimated_count; i++)
    if (sums->estimated[i].region == region)
      estimate_add(&more, &sums->estimated[i].ticks);
  return more;
}

/* The first worker's part becomes the sum. */
static bool sums_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct states_sums_analysis *analysis = state;
  struct states_sums *sums = result;
  bool good = true;
  for (unsigned i = 1; i < analysis->workers; i++)
    merge_constructs(analysis->parts[0], analysis->parts[i], analysis->trace->region_count);
  for (uint32_t i = 0; i < analysis->trace->region_count; i++)
    if (state_rule_of(&analysis->trace->regions[i]) == RULE_PROFILE_ROW)
      analysis->parts[0][i].calls = 0;
  *sums = (struct states_sums){.threads = analysis->threads,
                               .constructs = analysis->parts[0],
                               .locations = analysis->trace->location_count,
                               .regions = analysis->trace->region_count};
  for (unsigned i = 0; good && i < analysis->workers; i++)
    good = add_estimated(sums, analysis->estimated[i].items.items, analysis->estimated[i].items.count) &&
           callers_merge(&sums->callers, &analysis->callers[i]);
  callers_order(&sums->callers);
  analysis->threads = NULL;
  analysis->parts[0] = NULL;
  return good;
}

static void sums_drop(void *state)
{
  struct states_sums_analysis *analysis = state;
  for (unsigned i = 0; analysis->parts && i < analysis->workers; i++)
    free(analysis->parts[i]);
  for (unsigned i = 0; analysis->estimated && i < analysis->workers; i++)
    vector_free(&analysis->estimated[i].items);
  for (unsigned i = 0; analysis->callers && i < analysis->workers; i++)
    callers_free(&analysis->callers[i]);
  free(analysis->callers);
  free(analysis->estimated);
  free(analysis->parts);
  free(analysis->threads);
}

void states_sums_lived(const struct states_sums *sums, uint64_t *first, uint64_t *last)
{
  for (uint32_t i = 0; i < sums->locations; i++) {
    const struct states_thread *thread = &sums->threads[i];
    if (thread->alive && thread->first < *first)
      *first = thread->first;
    if (thread->alive && thread->last > *last)
      *last = thread->last;
  }
}

void states_sums_free(struct states_sums *sums)
{
  free(sums->threads);
  free(sums->constructs);
  free(sums->estimated);
  callers_free(&sums->callers);
  *sums = (struct states_sums){0};
}

static void sums_free(void *result)
{
  states_sums_free(result);
}

const struct analysis states_sums_analysis = {.name = "states",
                                              .state_size = sizeof(struct states_sums_analysis),
                                              .result_size = sizeof(struct states_sums),
                                              .begin = sums_begin,
                                              .lanes = {.lane_size = sizeof(struct sums_lane),
                                                        .begin = sums_begin_lane,
                                                        .brought_by = sums_brought_by,
                                                        .event = take_event,
                                                        .interval = add_interval,
                                                        .end = keep_thread,
                                                        .close = sums_close_lane},
                                              .adapt = sums_adapt,
                                              .end = sums_end,
                                              .drop = sums_drop,
                                              .merge = sums_merge,
                                              .free = sums_free};
