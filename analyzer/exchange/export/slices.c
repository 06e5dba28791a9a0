#include "analyzer/exchange/export/slices.h"

#include "analyzer/exchange/export/feed.h"
#include "base/count_of.h"

#include <stdlib.h>

/* A flow that ends at a thread: it belongs to the slice that begins then, if one does, which comes as the next item. */
struct pending {
  bool there;
  struct edge edge;
  uint64_t ns; /* of the thread's last step */
};

/* Counters of a process: threads in each state, and the written values. */
struct counters {
  uint64_t now[STATES], written[STATES];
  uint32_t last;  /* location that changed its state */
  uint32_t dirty; /* a bit a state: those whose `now` has been changed */
  bool changed;
};

struct slices {
  const struct trace *trace;
  struct edges *edges;
  struct clock clock;
  struct pending *pending;   /* a location */
  uint8_t *states;           /* a location; STATES: none */
  struct counters *counters; /* a process, and one for threads that have none */
  uint32_t *changed;         /* counters that changed at `now` */
  uint32_t changed_count;
  uint64_t now;      /* ns */
  uint64_t tick;     /* of the last step */
  uint32_t stepping; /* whose it is */
  uint64_t flow_count;
  const struct sink *sink;
  bool no_memory;
  const struct slices_form *form;
  void *context;
};

static const char *const categories[] = {"openmp", "threads", "user", "measurement", "region"};

const char *slices_category(unsigned number)
{
  return number < COUNT_OF(categories) ? categories[number] : NULL;
}

unsigned slices_category_of(const struct trace_region *region)
{
  switch (region->paradigm) {
  case OTF2_PARADIGM_OPENMP:
    return 0;
  case OTF2_PARADIGM_PTHREAD:
    return 1;
  case OTF2_PARADIGM_USER:
    return 2;
  case OTF2_PARADIGM_MEASUREMENT_SYSTEM:
    return 3;
  default:
    return 4;
  }
}

bool slices_take_change(struct slices *slices, uint32_t process, struct slices_change *change)
{
  struct counters *counters = &slices->counters[process];
  while (counters->dirty) {
    unsigned state = (unsigned)__builtin_ctz(counters->dirty);
    counters->dirty &= counters->dirty - 1;
    if (counters->now[state] == counters->written[state])
      continue;
    counters->written[state] = counters->now[state];
    *change = (struct slices_change){process, (enum state)state, counters->now[state]};
    return true;
  }
  return false;
}

/* Changes at a moment are written when the moment has passed. */
static void put_counters(struct slices *slices)
{
  for (uint32_t i = 0; i < slices->changed_count; i++) {
    struct counters *counters = &slices->counters[slices->changed[i]];
    struct slices_change change;
    while (slices_take_change(slices, slices->changed[i], &change))
      slices->form->counter(slices->context, counters->last, &change, slices->now);
    counters->changed = false;
  }
  slices->changed_count = 0;
}

static void count(struct counters *counters, unsigned state, int threads)
{
  _Static_assert(STATES <= 32, "bits of `dirty`");
  if (state == STATES)
    return;
  counters->now[state] += (uint64_t)threads;
  counters->dirty |= UINT32_C(1) << state;
}

/* A thread is in another state from now on; STATES: in none. */
static void change_state(struct slices *slices, uint32_t location, unsigned state)
{
  uint32_t process = process_of(slices->trace, location);
  struct counters *counters = &slices->counters[process];
  count(counters, slices->states[location], -1);
  count(counters, state, 1);
  if (slices->form->state && state != slices->states[location])
    slices->form->state(slices->context, location, state, slices->now);
  slices->states[location] = (uint8_t)state;
  if (!counters->changed)
    slices->changed[slices->changed_count++] = process;
  counters->changed = true;
  counters->last = location;
}

static struct slices_flow next_flow(struct slices *slices, const struct edge *edge)
{
  return (struct slices_flow){.number = ++slices->flow_count,
                              .begin = clock_ns(&slices->clock, edge->from_time),
                              .end = clock_ns(&slices->clock, edge->time),
                              .from = edge->from,
                              .kind = edge->kind};
}

/* Returns the waiting flow of a location; NULL: none. */
static const struct slices_flow *take_flow(struct slices *slices, uint32_t location, struct slices_flow *flow)
{
  struct pending *pending = &slices->pending[location];
  if (!pending->there)
    return NULL;
  pending->there = false;
  *flow = next_flow(slices, &pending->edge);
  return flow;
}

static void slices_put_flow(struct slices *slices, uint32_t location)
{
  struct slices_flow flow;
  if (take_flow(slices, location, &flow))
    slices->form->flow(slices->context, location, &flow);
}

/* An edge that ends with the step of now waits for a slice; one that is known late does not. */
static bool slices_take_edge(void *context, const struct edge *edge)
{
  struct slices *slices = context;
  struct pending *pending = &slices->pending[edge->to];
  if (edge->to == slices->stepping && edge->time == slices->tick) {
    pending->there = true;
    pending->edge = *edge;
    return true;
  }
  struct slices_flow flow = next_flow(slices, edge);
  slices->form->flow(slices->context, edge->to, &flow);
  return true;
}

static bool slices_take_event(struct slices *slices, uint32_t location, const struct item *item, uint64_t ns)
{
  struct pending *pending = &slices->pending[location];
  struct slices_flow flow;
  if (item->kind == ITEM_VALUE) /* the flow waits for its slice */
    return slices->form->value(slices->context, location, &item->value);
  if (item->kind != ITEM_ENTER || pending->ns != ns)
    slices_put_flow(slices, location);
  switch (item->kind) {
  case ITEM_ENTER:
    slices->form->begin(slices->context, location, item, ns, take_flow(slices, location, &flow));
    return true;
  case ITEM_LEAVE:
    slices->form->end(slices->context, location, ns);
    return true;
  default:
    pending->ns = ns;
    slices->stepping = location;
    slices->tick = item->time;
    return edges_take(slices->edges, location, item->time, &item->step);
  }
}

static bool slices_begin(void *context, const struct feed *feed)
{
  struct slices *slices = context;
  slices->clock = feed_clock(feed);
  slices->no_memory = !slices->form->head(slices->context);
  return !slices->no_memory;
}

static bool slices_take(void *context, uint32_t location, const struct item *item)
{
  struct slices *slices = context;
  uint64_t ns = clock_ns(&slices->clock, item->time);
  if (ns != slices->now)
    put_counters(slices);
  slices->now = ns;
  switch (item->kind) {
  case ITEM_BEGIN:
    break;
  case ITEM_STATE:
    change_state(slices, location, item->state);
    break;
  case ITEM_END:
    slices_put_flow(slices, location);
    change_state(slices, location, STATES);
    break;
  default:
    slices->no_memory = !slices_take_event(slices, location, item, ns);
  }
  return !slices->no_memory && !sink_failed(slices->sink);
}

static bool slices_take_outside(void *context, uint32_t location, const struct item *step)
{
  struct slices *slices = context;
  slices->no_memory = !edges_take(slices->edges, location, step->time, &step->step);
  return !slices->no_memory;
}

bool slices_write(struct slices *slices, const struct slices_form *form, void *context, const struct sink *sink,
                  struct error *error)
{
  static const struct feed_callbacks callbacks = {.kind = BY_STATE,
                                                  .begin = slices_begin,
                                                  .take = slices_take,
                                                  .take_outside = slices_take_outside,
                                                  .take_edge = slices_take_edge};
  slices->form = form;
  slices->context = context;
  slices->sink = sink;
  if (!feed_run(slices->trace, &callbacks, slices, error))
    return false;
  if (slices->no_memory)
    return error_set(error, "%s: out of memory", slices->trace->anchor);
  put_counters(slices);
  return true;
}

struct slices *slices_open(const struct trace *trace, struct error *error)
{
  size_t locations = trace->location_count, processes = (size_t)trace->process_count + 1;
  struct slices *slices = calloc(1, sizeof *slices);
  bool good = slices != NULL;
  if (good) {
    slices->trace = trace;
    slices->edges = edges_create(trace, EXPORT_EDGES, slices_take_edge, slices);
    slices->pending = calloc(locations + 1, sizeof *slices->pending);
    slices->states = malloc(locations + 1);
    slices->counters = calloc(processes, sizeof *slices->counters);
    slices->changed = calloc(processes, sizeof *slices->changed);
    good = slices->edges && slices->pending && slices->states && slices->counters && slices->changed;
  }
  if (good) {
    memset(slices->states, STATES, locations + 1);
    return slices;
  }
  error_set(error, "%s: out of memory", trace->anchor);
  slices_close(slices);
  return NULL;
}

void slices_close(struct slices *slices)
{
  if (!slices)
    return;
  edges_destroy(slices->edges);
  free(slices->pending);
  free(slices->states);
  free(slices->counters);
  free(slices->changed);
  free(slices);
}
