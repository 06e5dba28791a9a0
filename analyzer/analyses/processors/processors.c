#include "analyzer/analyses/processors/processors.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>

struct processors_analysis {
  const struct trace *trace;
  unsigned workers;
  bool known, reads;
  uint8_t *rules;
  VECTOR(struct processors_row) * parts; /* a worker */
};

struct lane {
  struct processors_analysis *analysis;
  const struct pass_location *location;
  unsigned worker;
  VECTOR(uint32_t) open; /* regions that the thread is in; the innermost last */
  VECTOR(struct processors_row) rows;
  struct readings readings;
  bool counts; /* the thread has no processor, and is READY or OFF */
  uint64_t since;
};

static void brought_by(void *opened, unsigned worker)
{
  ((struct lane *)opened)->worker = worker;
}

/* Constructs that can have a finding. */
static bool is_construct(const struct trace_region *region)
{
  switch (region->role) {
  case OTF2_REGION_ROLE_PARALLEL:
  case OTF2_REGION_ROLE_LOOP:
  case OTF2_REGION_ROLE_SECTIONS:
  case OTF2_REGION_ROLE_SINGLE:
  case OTF2_REGION_ROLE_WORKSHARE:
  case OTF2_REGION_ROLE_MASTER:
  case OTF2_REGION_ROLE_TASK:
  case OTF2_REGION_ROLE_TASK_UNTIED:
    return region->paradigm == OTF2_PARADIGM_OPENMP;
  default:
    return false;
  }
}

/* Chunks and other parts are in `open`, too, but are none of these. */
static uint32_t construct_around(const struct lane *lane)
{
  const struct trace *trace = lane->analysis->trace;
  for (size_t i = lane->open.count; i-- > 0;) {
    const struct trace_region *region = &trace->regions[lane->open.items[i]];
    if (is_construct(region) && lane->analysis->rules[lane->open.items[i]] != RULE_CHUNK)
      return lane->open.items[i];
  }
  return TRACE_NONE;
}

/* longest: of one time; 0: unknown. */
static bool add(struct lane *lane, struct processors_row new)
{
  for (size_t i = lane->rows.count; i-- > 0;) {
    struct processors_row *row = &lane->rows.items[i];
    if (row->construct != new.construct || row->reason != new.reason || row->ready != new.ready)
      continue;
    row->ticks += new.ticks;
    row->count++;
    row->longest = new.longest > row->longest ? new.longest : row->longest;
    return true;
  }
  new.location = lane->location->number;
  new.count = 1;
  return vector_push(&lane->rows, new);
}

static bool add_off(struct lane *lane, uint32_t reason, uint64_t ticks)
{
  return add(lane, (struct processors_row){.construct = construct_around(lane),
                                           .reason = reason,
                                           .ready = lane->analysis->rules[reason] == RULE_STATE_READY,
                                           .ticks = ticks,
                                           .longest = ticks});
}

/* Only of the program's own work: waits have other findings. */
static bool take_share(void *opened, const struct readings_share *share)
{
  struct lane *lane = opened;
  struct processors_row row = {.construct = share->around, .reason = TRACE_NONE, .ticks = share->off - share->ready};
  bool good = share->state != STATE_RUN || row.ticks == 0 || add(lane, row);
  row.ticks = share->ready;
  row.ready = true;
  return good && (share->state != STATE_RUN || row.ticks == 0 || add(lane, row));
}

static void take_interval(void *opened, const struct state_interval *interval)
{
  struct lane *lane = opened;
  if (lane->analysis->reads)
    readings_interval(&lane->readings, interval, construct_around(lane));
}

static bool begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  struct processors_analysis *analysis = context;
  struct lane *lane = opened;
  lane->analysis = analysis;
  lane->location = location;
  lane->readings = (struct readings){.trace = analysis->trace, .take = take_share, .context = lane};
  return true;
}

static void close_lane(void *context, void *opened)
{
  (void)context;
  struct lane *lane = opened;
  vector_free(&lane->open);
  readings_free(&lane->readings);
  vector_free(&lane->rows);
}

static bool take_event(void *opened, const struct trace_event *event)
{
  struct lane *lane = opened;
  bool good = true;
  if (event->kind == TRACE_Metric && lane->analysis->reads)
    readings_event(&lane->readings, event);
  if ((event->kind != TRACE_Enter && event->kind != TRACE_Leave) || event->index == TRACE_NONE)
    return true;
  bool off = rule_is_off((enum rule)lane->analysis->rules[event->index]);
  if (off && event->kind == TRACE_Enter) {
    unsigned state = lane->location->view->state;
    lane->counts = state == STATE_READY || state == STATE_OFF;
    lane->since = event->time;
  } else if (off && lane->counts) {
    good = add_off(lane, event->index, event->time - lane->since);
    lane->counts = false;
  } else if (!off && event->kind == TRACE_Enter) {
    good = vector_push(&lane->open, event->index);
  } else if (!off && lane->open.count > 0) {
    lane->open.count--; /* streams of events are balanced, but for damage */
  }
  return good;
}

static bool keep_rows(void *opened)
{
  struct lane *lane = opened;
  if (!readings_end(&lane->readings))
    return false;
  bool good = trace_is_thread(lane->analysis->trace, lane->location->number) || lane->rows.count == 0;
  for (size_t i = 0; good && i < lane->rows.count; i++)
    good = vector_push(&lane->analysis->parts[lane->worker], lane->rows.items[i]);
  return good;
}

static bool begin(void *state, const struct analysis_input *input)
{
  struct processors_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->workers = pool_workers(input->pool);
  analysis->known = states_know_processors(input->trace);
  analysis->reads = !analysis->known && readings_exist(input->trace);
  analysis->parts = calloc(analysis->workers, sizeof *analysis->parts);
  analysis->rules = machine_rules(input->trace);
  return analysis->parts && analysis->rules;
}

static void adapt(const void *state, struct subscriber *lanes)
{
  const struct processors_analysis *analysis = state;
  if (!analysis->known && !analysis->reads)
    lanes->event = NULL;
  if (!analysis->reads)
    lanes->interval = NULL;
}

static int in_order(const void *a, const void *b)
{
  const struct processors_row *x = a, *y = b;
  if (x->construct != y->construct)
    return x->construct < y->construct ? -1 : 1;
  if (x->location != y->location)
    return x->location < y->location ? -1 : 1;
  if (x->reason != y->reason)
    return x->reason < y->reason ? -1 : 1;
  return (int)x->ready - (int)y->ready;
}

static bool end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct processors_analysis *analysis = state;
  struct processors *processors = result;
  bool good = true;
  *processors = (struct processors){.known = analysis->known, .read = analysis->reads};
  for (unsigned i = 0; i < analysis->workers; i++)
    for (size_t k = 0; good && k < analysis->parts[i].count; k++)
      good = vector_push(&processors->rows, analysis->parts[i].items[k]);
  if (processors->rows.count > 1)
    qsort(processors->rows.items, processors->rows.count, sizeof *processors->rows.items, in_order);
  return good;
}

static void drop(void *state)
{
  struct processors_analysis *analysis = state;
  for (unsigned i = 0; analysis->parts && i < analysis->workers; i++)
    vector_free(&analysis->parts[i]);
  free(analysis->parts);
  free(analysis->rules);
}

static void free_rows(void *result)
{
  struct processors *processors = result;
  vector_free(&processors->rows);
}

const struct analysis processors_analysis = {.name = "processors",
                                             .state_size = sizeof(struct processors_analysis),
                                             .result_size = sizeof(struct processors),
                                             .begin = begin,
                                             .lanes = {.lane_size = sizeof(struct lane),
                                                       .begin = begin_lane,
                                                       .brought_by = brought_by,
                                                       .event = take_event,
                                                       .interval = take_interval,
                                                       .end = keep_rows,
                                                       .close = close_lane},
                                             .adapt = adapt,
                                             .end = end,
                                             .drop = drop,
                                             .free = free_rows};
