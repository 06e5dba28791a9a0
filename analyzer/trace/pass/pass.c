#include "analyzer/trace/pass/pass.h"

#include "analyzer/trace/pass/lanes.h"

#include "analyzer/trace/stream.h"
#include "base/apart.h"
#include "base/time_heap.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_MAX   16384            /* events of a location a round: rounds must be worth waking the workers for */
#define BATCH_MIN   256              /* ... also where many items wait */
#define BATCH_FIRST 64               /* ... where there are more than ROUND_MOST locations, to see where they begin */
#define ALL_BATCHES (16 * BATCH_MAX) /* events of all locations a round, as far as BATCH_MIN allows */
#define EVENTS_ITEM 4                /* a location with a batch's events / this many items is not read on */
#define ROUND_MOST  128              /* locations a round, except the first round: the furthest behind */
#define ITEMS_MOST  (1u << 19)       /* that wait for a subscriber, as far as BATCH_MIN allows */
#define ROOMY_MOST  16               /* locations; the queues of more give room back when they are nearly empty */

struct location {
  _Alignas(CACHE_LINE) struct lanes lanes;
  struct error error;
};

/* What choose() looks at, of all locations: in an array of its own. */
enum standing {
  UNOPENED,
  READING, /* to be read on, unless it has many items */
  DUE,     /* to be read on, but others were further behind */
  FULL,    /* it had many items, and none has been taken since */
  ENDED
};

/* State of a subscriber with a queue. Workers take items of different subscribers at the same time. */
struct order {
  _Alignas(
      CACHE_LINE) struct time_heap far; /* locations that have not ended, by how far they were when last looked at */
  uint64_t reached;                     /* no later item is earlier */
  uint64_t waiting;                     /* items */
  uint64_t *counted;                    /* a location: of these */
  struct time_heap items;               /* locations by their first item */
  bool *queued;                         /* a location: it is among these */
};

struct ordered_pass {
  const struct trace *trace;
  struct pool *pool;
  const struct subscriber *const *subscribers;
  unsigned count;
  uint8_t *rules;
  struct location *locations;
  _Atomic uint8_t *standing; /* a location: enum standing; workers that take items of different subscribers write it */
  uint32_t *reading;         /* locations of this round */
  uint64_t *behind;          /* how far they have been read, as they are chosen */
  uint64_t *least;           /* a location that is DUE: how far it has been read */
  uint32_t reading_count, left; /* left: not read to their ends */
  uint64_t batch;
  struct order *orders; /* a subscriber */
  bool last_turn;       /* subscribers that take items after the others have their turn */
};

static enum standing get_standing(const struct ordered_pass *pass, uint32_t location)
{
  return atomic_load_explicit(&pass->standing[location], memory_order_relaxed);
}

static void set_standing(const struct ordered_pass *pass, uint32_t location, enum standing standing)
{
  atomic_store_explicit(&pass->standing[location], (uint8_t)standing, memory_order_relaxed);
}

static bool read_on(void *context, unsigned worker, uint32_t item)
{
  const struct ordered_pass *pass = context;
  uint32_t index = pass->reading[item];
  struct location *location = &pass->locations[index];
  bool unopened = get_standing(pass, index) == UNOPENED;
  set_standing(pass, index, READING);
  if (unopened &&
      !lanes_open(&location->lanes, pass->trace, pass->rules, index, pass->subscribers, pass->count, &location->error))
    return false;
  return lanes_read(&location->lanes, worker, pass->batch);
}

/* No item that a location still has for a subscriber is earlier. */
static uint64_t reached(const struct ordered_pass *pass, const struct location *location, unsigned subscriber)
{
  const struct subscriber *of = pass->subscribers[subscriber];
  return of->reached ? of->reached(location->lanes.list[subscriber]) : location->lanes.location.view->last;
}

/* True if a location is to be read on: other locations wait for it, or no subscriber has many items of it. */
static bool is_due(const struct ordered_pass *pass, const struct location *location)
{
  bool has_many = false;
  for (unsigned i = 0; i < pass->count; i++) {
    if (!pass->subscribers[i]->queue)
      continue;
    if (reached(pass, location, i) == pass->orders[i].reached)
      return true;
    has_many |= item_queue_count(pass->subscribers[i]->queue(location->lanes.list[i])) > pass->batch / EVENTS_ITEM;
  }
  return !has_many;
}

/* How far a location is for the subscriber that it keeps waiting the most. */
static uint64_t least_reached(const struct ordered_pass *pass, const struct location *location)
{
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < pass->count; i++) {
    uint64_t now = pass->subscribers[i]->queue ? reached(pass, location, i) : least;
    least = now < least ? now : least;
  }
  return least;
}

/* Events of each of so many locations. */
static uint64_t batch_of(const struct ordered_pass *pass, uint32_t locations)
{
  uint64_t batch = locations ? ALL_BATCHES / locations : 0, waiting = 0;
  for (unsigned i = 0; i < pass->count; i++)
    waiting = pass->orders[i].waiting > waiting ? pass->orders[i].waiting : waiting;
  uint64_t room = waiting < ITEMS_MOST ? (ITEMS_MOST - waiting) * EVENTS_ITEM : 0;
  if (locations && batch > room / locations)
    batch = room / locations;
  return batch > BATCH_MAX ? BATCH_MAX : batch < BATCH_MIN ? BATCH_MIN : batch;
}

static void swap(struct ordered_pass *pass, uint32_t a, uint32_t b)
{
  uint64_t behind = pass->behind[a];
  uint32_t location = pass->reading[a];
  pass->behind[a] = pass->behind[b];
  pass->reading[a] = pass->reading[b];
  pass->behind[b] = behind;
  pass->reading[b] = location;
}

/* Only ROUND_MOST locations to be read remain, the furthest behind: others would hold their items for long.
 * (Quickselect.) */
static void keep_furthest_behind(struct ordered_pass *pass)
{
  uint32_t first = 0, end = pass->reading_count;
  while (end - first > 1) {
    uint64_t pivot = pass->behind[first + (end - first) / 2];
    uint32_t less = first, more = end;
    for (uint32_t i = first; i < more;) {
      if (pass->behind[i] < pivot)
        swap(pass, i++, less++);
      else if (pass->behind[i] > pivot)
        swap(pass, i, --more);
      else
        i++;
    }
    if (ROUND_MOST < less)
      end = less;
    else if (ROUND_MOST >= more)
      first = more;
    else
      break;
  }
  for (uint32_t i = ROUND_MOST; i < pass->reading_count; i++)
    set_standing(pass, pass->reading[i], DUE);
  pass->reading_count = ROUND_MOST;
}

/*
 * All locations except locations that wait for others. The location that the others wait for is always among them. All
 * its items up to the time it has reached have been taken, except the items of that very tick.
 */
static void choose(struct ordered_pass *pass)
{
  bool first = false;
  pass->reading_count = 0;
  pass->batch = batch_of(pass, pass->left < ROUND_MOST ? pass->left : ROUND_MOST);
  for (uint32_t i = 0; i < pass->trace->location_count; i++) {
    enum standing standing = get_standing(pass, i);
    first |= standing == UNOPENED;
    if (standing == UNOPENED || standing == DUE || (standing == READING && is_due(pass, &pass->locations[i]))) {
      if (standing == READING)
        pass->least[i] = least_reached(pass, &pass->locations[i]);
      pass->behind[pass->reading_count] = pass->least[i];
      pass->reading[pass->reading_count++] = i;
    } else if (standing == READING) {
      set_standing(pass, i, FULL);
    }
  }
  if (pass->reading_count <= ROUND_MOST)
    return;
  if (first)
    pass->batch = BATCH_FIRST;
  else
    keep_furthest_behind(pass);
}

/* Only locations that were read are further than before, and none is less far. The first one of `far` is therefore
 * checked until it is as far as it was. */
static void look_how_far_for(const struct ordered_pass *pass, unsigned subscriber)
{
  struct order *order = &pass->orders[subscriber];
  struct time_heap *far = &order->far;
  while (far->count > 0) {
    struct time_entry first = far->entries[0];
    bool ended = get_standing(pass, first.source) == ENDED;
    uint64_t now = ended ? 0 : reached(pass, &pass->locations[first.source], subscriber);
    if (ended)
      time_heap_drop_first(far);
    else if (now > first.time)
      time_heap_move_first(far, now);
    else
      break;
  }
  order->reached = far->count > 0 ? far->entries[0].time : UINT64_MAX;
  if (far->count > 0)
    set_standing(pass, far->entries[0].source, READING);
}

static void look_how_far(struct ordered_pass *pass)
{
  for (uint32_t i = 0; i < pass->reading_count; i++) {
    if (pass->locations[pass->reading[i]].lanes.stream)
      continue;
    set_standing(pass, pass->reading[i], ENDED);
    pass->left--;
  }
  for (unsigned i = 0; i < pass->count; i++)
    if (pass->subscribers[i]->queue)
      look_how_far_for(pass, i);
}

/* Adds a location whose queue may have a first item now to the locations with a first item. */
static void add_first(const struct ordered_pass *pass, unsigned subscriber, uint32_t location)
{
  struct order *order = &pass->orders[subscriber];
  struct item_queue *queue = pass->subscribers[subscriber]->queue(pass->locations[location].lanes.list[subscriber]);
  uint64_t time, count = item_queue_count(queue);
  order->waiting += count - order->counted[location];
  order->counted[location] = count;
  if (order->queued[location] || !item_queue_time(queue, &time))
    return;
  order->queued[location] = true;
  time_heap_add(&order->items, time, location);
}

/* True if the first location of the heap comes before all others with an item of that time. */
static bool is_still_first(const struct time_heap *heap, uint64_t time)
{
  struct time_entry first = heap->entries[0];
  for (uint32_t i = 1; i <= 2 && i < heap->count; i++) {
    struct time_entry other = heap->entries[i];
    if (time > other.time || (time == other.time && first.source > other.source))
      return false;
  }
  return true;
}

/* Takes items of the location with the first item, as long as it has it. False: no memory. */
static bool take_of_first(const struct ordered_pass *pass, unsigned number)
{
  const struct subscriber *subscriber = pass->subscribers[number];
  struct order *order = &pass->orders[number];
  struct time_heap *heap = &order->items;
  uint32_t location = heap->entries[0].source;
  uint64_t time = heap->entries[0].time, until = pass->left ? order->reached : UINT64_MAX, taken = 0;
  struct item_queue *queue = subscriber->queue(pass->locations[location].lanes.list[number]);
  bool more = true;
  do {
    if (!subscriber->take(subscriber->context, location, item_queue_first(queue)))
      return false;
    item_queue_step(queue);
    taken++;
    more = item_queue_time(queue, &time);
  } while (more && (time < until || !pass->left) && is_still_first(heap, time));
  order->waiting -= taken;
  order->counted[location] -= taken;
  order->queued[location] = more;
  if (pass->trace->location_count > ROOMY_MOST)
    item_queue_give_back(queue);
  if (get_standing(pass, location) == FULL)
    set_standing(pass, location, READING);
  if (more) {
    time_heap_move_first(heap, time);
  } else {
    time_heap_drop_first(heap);
    if (get_standing(pass, location) == ENDED)
      item_queue_free(queue); /* of the room for its items nothing is needed any more */
  }
  return true;
}

/* Takes the items of one subscriber up to the time that all locations have reached. */
static bool take_items(void *context, unsigned worker, uint32_t item)
{
  (void)worker;
  const struct ordered_pass *pass = context;
  struct order *order = &pass->orders[item];
  struct time_heap *heap = &order->items;
  if (!pass->subscribers[item]->queue || pass->subscribers[item]->after_others != pass->last_turn)
    return true;
  for (uint32_t i = 0; i < pass->reading_count; i++)
    add_first(pass, item, pass->reading[i]);
  while (heap->count > 0 && (heap->entries[0].time < order->reached || !pass->left))
    if (!take_of_first(pass, item))
      return false;
  return true;
}

/* Why a round failed: where no location has an error, memory was short when items were taken. */
static bool fail(const struct ordered_pass *pass, struct error *error)
{
  for (uint32_t i = 0; i < pass->trace->location_count; i++) {
    if (pass->locations[i].error.message[0]) {
      *error = pass->locations[i].error;
      return false;
    }
  }
  return error_set(error, "%s: out of memory", pass->trace->anchor);
}

static bool prepare_order(struct order *order, uint32_t locations)
{
  order->queued = apart_calloc((size_t)locations + 1, sizeof *order->queued);
  order->counted = apart_calloc((size_t)locations + 1, sizeof *order->counted);
  if (!time_heap_init(&order->far, locations) || !time_heap_init(&order->items, locations) || !order->queued ||
      !order->counted)
    return false;
  for (uint32_t i = 0; i < locations; i++)
    time_heap_add(&order->far, 0, i);
  return true;
}

static bool prepare(struct ordered_pass *pass)
{
  uint32_t count = pass->trace->location_count;
  pass->rules = machine_rules(pass->trace);
  pass->locations = apart_calloc((size_t)count + 1, sizeof *pass->locations);
  pass->standing = calloc((size_t)count + 1, sizeof *pass->standing);
  pass->reading = calloc((size_t)count + 1, sizeof *pass->reading);
  pass->behind = calloc((size_t)count + 1, sizeof *pass->behind);
  pass->least = calloc((size_t)count + 1, sizeof *pass->least);
  pass->orders = apart_calloc((size_t)pass->count + 1, sizeof *pass->orders);
  pass->left = count;
  if (!pass->rules || !pass->locations || !pass->standing || !pass->reading || !pass->behind || !pass->least ||
      !pass->orders)
    return false;
  for (unsigned i = 0; i < pass->count; i++)
    if (pass->subscribers[i]->queue && !prepare_order(&pass->orders[i], count))
      return false;
  return true;
}

void ordered_pass_close(struct ordered_pass *pass)
{
  if (!pass)
    return;
  for (uint32_t i = 0; pass->locations && i < pass->trace->location_count; i++)
    lanes_close(&pass->locations[i].lanes);
  for (unsigned i = 0; pass->orders && i < pass->count; i++) {
    time_heap_free(&pass->orders[i].far);
    time_heap_free(&pass->orders[i].items);
    free(pass->orders[i].queued);
    free(pass->orders[i].counted);
  }
  free(pass->rules);
  free(pass->locations);
  free((void *)pass->standing);
  free(pass->reading);
  free(pass->behind);
  free(pass->least);
  free(pass->orders);
  free(pass);
}

struct ordered_pass *ordered_pass_open(const struct trace *trace, struct pool *pool,
                                       const struct subscriber *const *subscribers, unsigned count, struct error *error)
{
  struct ordered_pass *pass = calloc(1, sizeof *pass);
  if (pass) {
    *pass = (struct ordered_pass){.trace = trace, .pool = pool, .subscribers = subscribers, .count = count};
    if (prepare(pass))
      return pass;
  }
  ordered_pass_close(pass);
  error_set(error, "%s: out of memory", trace->anchor);
  return NULL;
}

/* Two turns, if there is a subscriber that takes items after others. */
static bool take_turns(struct ordered_pass *pass)
{
  bool two = false;
  for (unsigned i = 0; i < pass->count; i++)
    two |= pass->subscribers[i]->after_others;
  pass->last_turn = false;
  if (!pool_run(pass->pool, pass->count, take_items, pass))
    return false;
  pass->last_turn = true;
  return !two || pool_run(pass->pool, pass->count, take_items, pass);
}

bool ordered_pass_round(struct ordered_pass *pass, bool *more, struct error *error)
{
  choose(pass);
  if (!pool_run(pass->pool, pass->reading_count, read_on, pass))
    return fail(pass, error);
  look_how_far(pass);
  *more = pass->left > 0;
  return take_turns(pass) || fail(pass, error);
}

bool pass_in_order(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                   unsigned count, struct error *error)
{
  struct ordered_pass *pass = ordered_pass_open(trace, pool, subscribers, count, error);
  bool good = pass, more = true;
  while (good && more)
    good = ordered_pass_round(pass, &more, error);
  ordered_pass_close(pass);
  return good;
}

struct job {
  const struct trace *trace;
  const struct subscriber *const *subscribers;
  unsigned count;
  uint8_t *rules;
};

static bool read_location(void *context, unsigned worker, uint32_t location, struct error *error)
{
  const struct job *job = context;
  struct lanes lanes;
  bool good = lanes_open(&lanes, job->trace, job->rules, location, job->subscribers, job->count, error);
  do
    good = good && lanes_read(&lanes, worker, TRACE_BATCH);
  while (good && lanes.stream);
  lanes_close(&lanes);
  return good;
}

bool pass_locations(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                    unsigned count, struct error *error)
{
  struct job job = {trace, subscribers, count, machine_rules(trace)};
  bool good = job.rules || error_set(error, "%s: out of memory", trace->anchor);
  good = good && trace_scan(trace, pool, read_location, &job, error);
  free(job.rules);
  return good;
}

bool pass_location(const struct trace *trace, uint32_t location, const struct subscriber *const *subscribers,
                   unsigned count, struct error *error)
{
  struct job job = {trace, subscribers, count, machine_rules(trace)};
  struct error own = {""};
  bool good =
      (job.rules || error_set(&own, "%s: out of memory", trace->anchor)) && read_location(&job, 0, location, &own);
  free(job.rules);
  if (!good)
    *error = own;
  return good;
}

bool running_analysis_begin(struct running_analysis *running, const struct analysis *analysis,
                            const struct trace *trace, struct pool *pool, const void *options, struct error *error)
{
  const struct analysis_input input = {trace, pool, options};
  *running = (struct running_analysis){
      .analysis = analysis, .subscriber = analysis->lanes, .trace = trace, .state = calloc(1, analysis->state_size)};
  running->subscriber.context = running->state;
  if (running->state && analysis->begin(running->state, &input)) {
    if (analysis->adapt)
      analysis->adapt(running->state, &running->subscriber);
    return true;
  }
  running_analysis_drop(running, NULL);
  return error_set(error, "%s: out of memory", trace->anchor);
}

bool running_analysis_end(struct running_analysis *running, void *result, struct error *error)
{
  struct error own = {""};
  memset(result, 0, running->analysis->result_size);
  bool good = running->analysis->end(running->state, result, &own);
  if (!good && own.message[0])
    *error = own;
  else if (!good)
    error_set(error, "%s: out of memory", running->trace->anchor);
  running_analysis_drop(running, NULL);
  return good;
}

void running_analysis_drop(struct running_analysis *running, struct error *error)
{
  if (running->state && error && running->analysis->explain)
    running->analysis->explain(running->state, error);
  if (running->state && running->analysis->drop)
    running->analysis->drop(running->state);
  free(running->state);
  running->state = NULL;
}

/* A pass in order of time costs more; who needs none gets none. */
static bool pass(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                 unsigned count, struct error *error)
{
  bool ordered = false;
  for (unsigned i = 0; i < count; i++)
    ordered |= subscribers[i]->queue != NULL;
  return (ordered ? pass_in_order : pass_locations)(trace, pool, subscribers, count, error);
}

static bool analysis_exists(const struct analysis *analysis, const struct trace *trace)
{
  return !analysis->exists || analysis->exists(trace);
}

/* running[i] is the state of tasks[i]; without a state: it has nothing to find. */
static bool analyses_pass(const struct trace *trace, struct pool *pool, const struct analysis_task *tasks,
                          unsigned count, struct running_analysis *running, const struct subscriber **subscribers,
                          struct error *error)
{
  unsigned subscriber_count = 0;
  for (unsigned i = 0; i < count; i++) {
    if (!analysis_exists(tasks[i].analysis, trace))
      continue;
    if (!running_analysis_begin(&running[i], tasks[i].analysis, trace, pool, tasks[i].options, error))
      return false;
    subscribers[subscriber_count++] = &running[i].subscriber;
  }
  return subscriber_count == 0 || pass(trace, pool, subscribers, subscriber_count, error);
}

bool analyses_find(const struct trace *trace, struct pool *pool, const struct analysis_task *tasks, unsigned count,
                   struct error *error)
{
  for (unsigned i = 0; i < count; i++)
    memset(tasks[i].result, 0, tasks[i].analysis->result_size);
  struct running_analysis *running = calloc((size_t)count + 1, sizeof *running);
  const struct subscriber **subscribers = (const struct subscriber **)calloc((size_t)count + 1, sizeof *subscribers);
  bool good = (running && subscribers) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && analyses_pass(trace, pool, tasks, count, running, subscribers, error);
  for (unsigned i = 0; running && i < count; i++) {
    if (!running[i].state)
      continue;
    if (good)
      good = running_analysis_end(&running[i], tasks[i].result, error);
    else
      running_analysis_drop(&running[i], error);
  }
  free(running);
  free((void *)subscribers);
  return good;
}

void analyses_free(const struct analysis_task *tasks, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    analysis_free(tasks[i].analysis, tasks[i].result);
}

bool analysis_find(const struct analysis *analysis, const struct trace *trace, struct pool *pool, const void *options,
                   void *result, struct error *error)
{
  const struct analysis_task task = {analysis, options, result};
  return analyses_find(trace, pool, &task, 1, error);
}

void analysis_free(const struct analysis *analysis, void *result)
{
  if (analysis->free && result)
    analysis->free(result);
}

bool analysis_merge(const struct analysis *analysis, void *into, void *from)
{
  bool good = analysis->merge(into, from);
  analysis_free(analysis, from);
  return good;
}
