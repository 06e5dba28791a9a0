#include "analyzer/analyses/processors/processors.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>

struct processors_taker {
  struct subscriber subscriber;
  struct error *error;
  const struct trace *trace;
  unsigned workers;
  bool known, reads;
  uint8_t *rules;
  VECTOR(struct processors_row) * parts; /* a worker */
};

struct lane {
  struct processors_taker *taker;
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

/* Constructs of which a finding can be made. */
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
  const struct trace *trace = lane->taker->trace;
  for (size_t i = lane->open.count; i-- > 0;) {
    const struct trace_region *region = &trace->regions[lane->open.items[i]];
    if (is_construct(region) && lane->taker->rules[lane->open.items[i]] != RULE_CHUNK)
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
                                           .ready = lane->taker->rules[reason] == RULE_STATE_READY,
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
  if (lane->taker->reads)
    readings_interval(&lane->readings, interval, construct_around(lane));
}

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct processors_taker *taker = context;
  struct lane *lane = calloc(1, sizeof *lane);
  if (lane)
    *lane = (struct lane){
        .taker = taker, .location = location, .readings = {.trace = taker->trace, .take = take_share, .context = lane}};
  else
    error_set(error, "%s: out of memory", taker->trace->anchor);
  return lane;
}

static void close_lane(void *context, void *opened)
{
  (void)context;
  struct lane *lane = opened;
  vector_free(&lane->open);
  readings_free(&lane->readings);
  vector_free(&lane->rows);
  free(lane);
}

static bool take_event(void *opened, const struct trace_event *event)
{
  struct lane *lane = opened;
  bool good = true;
  if (event->kind == TRACE_Metric && lane->taker->reads)
    readings_event(&lane->readings, event);
  if ((event->kind != TRACE_Enter && event->kind != TRACE_Leave) || event->index == TRACE_NONE)
    return true;
  bool off = rule_is_off((enum rule)lane->taker->rules[event->index]);
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
  return good || error_set(lane->taker->error, "%s: out of memory", lane->taker->trace->anchor);
}

static bool keep_rows(void *opened)
{
  struct lane *lane = opened;
  if (!readings_end(&lane->readings))
    return error_set(lane->taker->error, "%s: out of memory", lane->taker->trace->anchor);
  bool good = trace_is_thread(lane->taker->trace, lane->location->number) || lane->rows.count == 0;
  for (size_t i = 0; good && i < lane->rows.count; i++)
    good = vector_push(&lane->taker->parts[lane->worker], lane->rows.items[i]);
  return good || error_set(lane->taker->error, "%s: out of memory", lane->taker->trace->anchor);
}

struct processors_taker *processors_begin(const struct trace *trace, struct pool *pool, struct error *error)
{
  struct processors_taker *taker = calloc(1, sizeof *taker);
  if (taker) {
    taker->trace = trace;
    taker->error = error;
    taker->workers = pool_workers(pool);
    taker->known = states_know_processors(trace);
    taker->reads = !taker->known && readings_exist(trace);
    taker->parts = calloc(taker->workers, sizeof *taker->parts);
    taker->rules = machine_rules(trace);
    taker->subscriber = (struct subscriber){.context = taker,
                                            .open = open_lane,
                                            .brought_by = brought_by,
                                            .event = taker->known || taker->reads ? take_event : NULL,
                                            .interval = taker->reads ? take_interval : NULL,
                                            .end = keep_rows,
                                            .close = close_lane};
  }
  if (taker && taker->parts && taker->rules)
    return taker;
  error_set(error, "%s: out of memory", trace->anchor);
  processors_drop(taker);
  return NULL;
}

const struct subscriber *processors_subscriber(const struct processors_taker *taker)
{
  return &taker->subscriber;
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

bool processors_end(struct processors_taker *taker, struct processors *processors)
{
  bool good = true;
  *processors = (struct processors){.known = taker->known, .read = taker->reads};
  for (unsigned i = 0; i < taker->workers; i++)
    for (size_t k = 0; good && k < taker->parts[i].count; k++)
      good = vector_push(&processors->rows, taker->parts[i].items[k]) ||
             error_set(taker->error, "%s: out of memory", taker->trace->anchor);
  if (processors->rows.count > 1)
    qsort(processors->rows.items, processors->rows.count, sizeof *processors->rows.items, in_order);
  processors_drop(taker);
  return good;
}

void processors_drop(struct processors_taker *taker)
{
  if (!taker)
    return;
  for (unsigned i = 0; taker->parts && i < taker->workers; i++)
    vector_free(&taker->parts[i]);
  free(taker->parts);
  free(taker->rules);
  free(taker);
}

void processors_free(struct processors *processors)
{
  vector_free(&processors->rows);
}
