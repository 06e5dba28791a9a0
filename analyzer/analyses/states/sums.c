#include "analyzer/analyses/states/sums.h"

#include "analyzer/analyses/states/by_callers.h"
#include "analyzer/analyses/states/thinned.h"

#include <stdlib.h>

struct states_adder {
  struct subscriber subscriber;
  struct error *error;
  const struct trace *trace;
  unsigned workers;
  bool reads; /* the archive has readings */
  struct states_thread *threads;
  struct states_construct **parts; /* a worker: one a region, and one for time outside */
  struct thinned_list *thinned;    /* a worker */
  struct callers *callers;         /* likewise */
};

struct sums_lane {
  struct states_adder *adder;
  const struct pass_location *location;
  struct states_construct *part; /* the worker's */
  struct thinned_list *thinned;  /* likewise */
  struct callers *callers;       /* likewise */
  bool thread;
  uint64_t events;
  wide_total off[STATES];
  wide_total run_queue;
  struct readings readings;
  struct thinned_lane samples;
  struct by_callers waits;
};

static struct states_construct *part_of(struct sums_lane *lane, uint32_t construct)
{
  return &lane->part[construct == TRACE_NONE ? lane->adder->trace->region_count : construct];
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

static void *sums_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct states_adder *adder = context;
  struct sums_lane *lane = calloc(1, sizeof *lane);
  if (lane)
    *lane = (struct sums_lane){
        .adder = adder,
        .location = location,
        .thread = trace_is_thread(adder->trace, location->number),
        .readings = {.trace = adder->trace, .take = take_share, .context = lane},
    };
  else
    error_set(error, "%s: out of memory", adder->trace->anchor);
  return lane;
}

static void sums_close_lane(void *context, void *opened)
{
  (void)context;
  struct sums_lane *lane = opened;
  thinned_free(&lane->samples);
  by_callers_free(&lane->waits);
  readings_free(&lane->readings);
  free(lane);
}

static void sums_brought_by(void *opened, unsigned worker)
{
  struct sums_lane *lane = opened;
  lane->part = lane->adder->parts[worker];
  lane->thinned = &lane->adder->thinned[worker];
  lane->callers = &lane->adder->callers[worker];
}

static void add_interval(void *opened, const struct state_interval *interval)
{
  struct sums_lane *lane = opened;
  if (!lane->thread)
    return;
  lane->off[interval->state] += interval->off;
  part_of(lane, interval->construct)->ticks[interval->state] += interval->end - interval->start;
  if (lane->adder->reads)
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
  if (event->kind == TRACE_Metric && lane->adder->reads)
    readings_event(&lane->readings, event);
  return true;
}

/* The same, if the archive has weights: executions may be left out. */
static bool take_weighted(void *opened, const struct trace_event *event)
{
  struct sums_lane *lane = opened;
  const struct trace *trace = lane->adder->trace;
  bool begin = event->kind == TRACE_Enter;
  take_event(lane, event);
  if (!lane->thread || (!begin && event->kind != TRACE_Leave) || event->index == TRACE_NONE)
    return true;
  struct trace_left_out left_out = trace_left_out_by(trace, event);
  if (left_out.instances > 0)
    lane->part[left_out.region].calls += left_out.instances;
  uint64_t measured = event->time - machine_total(lane->location->view, STATE_UNMEASURED);
  return thinned_take(&lane->samples, trace, event, measured, begin && lane->location->view->in_part) ||
         error_set(lane->adder->error, "%s: out of memory", trace->anchor);
}

static bool has_weights(const struct trace *trace)
{
  return trace->weight != OTF2_UNDEFINED_ATTRIBUTE;
}

/* The same, if the archive has callers of waits. */
static bool take_called(void *opened, const struct trace_event *event)
{
  struct sums_lane *lane = opened;
  const struct trace *trace = lane->adder->trace;
  bool good = has_weights(trace) ? take_weighted(lane, event) : take_event(lane, event);
  if (!good || !lane->thread)
    return good;
  return by_callers_take(&lane->waits, trace, event, lane->callers) ||
         error_set(lane->adder->error, "%s: out of memory", trace->anchor);
}

static bool keep_thread(void *opened)
{
  struct sums_lane *lane = opened;
  if (!lane->thread)
    return true;
  if (!readings_end(&lane->readings))
    return error_set(lane->adder->error, "%s: out of memory", lane->adder->trace->anchor);
  const struct pass_location *location = lane->location;
  struct states_thread *thread = &lane->adder->threads[location->number];
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
  return thinned_end(&lane->samples, location->number, lane->thinned) ||
         error_set(lane->adder->error, "%s: out of memory", lane->adder->trace->anchor);
}

struct states_adder *states_sums_begin(const struct trace *trace, struct pool *pool, struct error *error)
{
  struct states_adder *adder = calloc(1, sizeof *adder);
  bool good = adder;
  if (adder) {
    adder->trace = trace;
    adder->reads = readings_exist(trace);
    adder->workers = pool_workers(pool);
    adder->threads = calloc(trace->location_count + 1, sizeof *adder->threads);
    adder->parts = calloc(adder->workers, sizeof *adder->parts);
    adder->thinned = calloc(adder->workers, sizeof *adder->thinned);
    adder->callers = calloc(adder->workers, sizeof *adder->callers);
    adder->error = error;
    good = adder->threads && adder->parts && adder->thinned && adder->callers;
    adder->subscriber = (struct subscriber){.context = adder,
                                            .open = sums_open_lane,
                                            .brought_by = sums_brought_by,
                                            .event = trace_may_have_callers(trace) ? take_called
                                                     : has_weights(trace)          ? take_weighted
                                                                                   : take_event,
                                            .interval = add_interval,
                                            .end = keep_thread,
                                            .close = sums_close_lane};
  }
  for (unsigned i = 0; good && i < adder->workers; i++)
    good = (adder->parts[i] = calloc(trace->region_count + 1, sizeof **adder->parts)) != NULL;
  if (good)
    return adder;
  error_set(error, "%s: out of memory", trace->anchor);
  states_sums_drop(adder);
  return NULL;
}

const struct subscriber *states_sums_subscriber(const struct states_adder *adder)
{
  return &adder->subscriber;
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

static int compare_thinned(const void *a, const void *b)
{
  const struct states_thinned *left = a, *right = b;
  if (left->region != right->region)
    return left->region < right->region ? -1 : 1;
  return (left->location > right->location) - (left->location < right->location);
}

/* Adds to a list that is sorted, so that sums over it do not depend on how a trace is split. False: no memory. */
static bool add_thinned(struct states_sums *sums, const struct states_thinned *list, size_t count)
{
  if (count == 0)
    return true;
  struct states_thinned *both = realloc(sums->thinned, (sums->thinned_count + count) * sizeof *both);
  if (!both)
    return false;
  for (size_t i = 0; i < count; i++)
    both[sums->thinned_count++] = list[i];
  sums->thinned = both;
  qsort(both, sums->thinned_count, sizeof *both, compare_thinned);
  return true;
}

/* Of lists that are in order. False: no memory. */
static bool merge_callers(struct callers *into, const struct callers *from)
{
  struct callers both = {0};
  bool good = callers_merge(&both, into) && callers_merge(&both, from);
  callers_order(&both);
  callers_free(into);
  *into = both;
  return good;
}

bool states_sums_merge(struct states_sums *into, const struct states_sums *from)
{
  if (!add_thinned(into, from->thinned, from->thinned_count) || !merge_callers(&into->callers, &from->callers))
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
  for (size_t i = 0; i < sums->thinned_count; i++)
    if (sums->thinned[i].region == region)
      estimate_add(&more, &sums->thinned[i].ticks);
  return more;
}

/* The first worker's part becomes the sum. */
bool states_sums_end(struct states_adder *adder, struct states_sums *sums)
{
  bool good = true;
  for (unsigned i = 1; i < adder->workers; i++)
    merge_constructs(adder->parts[0], adder->parts[i], adder->trace->region_count);
  for (uint32_t i = 0; i < adder->trace->region_count; i++)
    if (state_rule_of(&adder->trace->regions[i]) == RULE_PROFILE_ROW)
      adder->parts[0][i].calls = 0;
  *sums = (struct states_sums){.threads = adder->threads,
                               .constructs = adder->parts[0],
                               .locations = adder->trace->location_count,
                               .regions = adder->trace->region_count};
  for (unsigned i = 0; good && i < adder->workers; i++)
    good = (add_thinned(sums, adder->thinned[i].items.items, adder->thinned[i].items.count) &&
            callers_merge(&sums->callers, &adder->callers[i])) ||
           error_set(adder->error, "%s: out of memory", adder->trace->anchor);
  callers_order(&sums->callers);
  adder->threads = NULL;
  adder->parts[0] = NULL;
  states_sums_drop(adder);
  return good;
}

void states_sums_drop(struct states_adder *adder)
{
  if (!adder)
    return;
  for (unsigned i = 0; adder->parts && i < adder->workers; i++)
    free(adder->parts[i]);
  for (unsigned i = 0; adder->thinned && i < adder->workers; i++)
    vector_free(&adder->thinned[i].items);
  for (unsigned i = 0; adder->callers && i < adder->workers; i++)
    callers_free(&adder->callers[i]);
  free(adder->callers);
  free(adder->thinned);
  free(adder->parts);
  free(adder->threads);
  free(adder);
}

bool states_sum(const struct trace *trace, struct pool *pool, struct states_sums *sums, struct error *error)
{
  *sums = (struct states_sums){0};
  struct states_adder *adder = states_sums_begin(trace, pool, error);
  if (!adder)
    return false;
  const struct subscriber *subscribers[] = {&adder->subscriber};
  bool good = pass_locations(trace, pool, subscribers, 1, error);
  if (good)
    return states_sums_end(adder, sums);
  states_sums_drop(adder);
  return false;
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
  free(sums->thinned);
  callers_free(&sums->callers);
  *sums = (struct states_sums){0};
}
