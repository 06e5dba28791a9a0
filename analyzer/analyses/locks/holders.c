#include "analyzer/analyses/locks/holders.h"

#include "analyzer/analyses/locks/order.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/restriction.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

#define PASSED_ON_US 50 /* a reader that lets the next one go on does so within */

void hold_requested(struct hold *hold, uint64_t time, uint32_t location, uint32_t region)
{
  hold->waiting++;
  if (!hold->open) {
    hold->open = true;
    hold->since = time;
    hold->location = hold->region = TRACE_NONE;
  }
  if (hold->location == TRACE_NONE && hold->region == TRACE_NONE) {
    hold->location = location;
    hold->region = region;
  }
}

void hold_wait_ended(struct hold *hold)
{
  if (hold->waiting > 0)
    hold->waiting--;
  if (hold->waiting == 0)
    hold->open = false;
}

bool hold_passed(struct hold *hold, uint64_t time, uint32_t location, uint32_t region, struct hold *before)
{
  bool was_open = hold->open;
  *before = *hold;
  hold->open = hold->waiting > 0 && location != TRACE_NONE;
  hold->since = time;
  hold->location = location;
  hold->region = region;
  return was_open;
}

struct place_samples *lock_samples_of(struct lock_samples *samples, uint32_t location, uint32_t region)
{
  if (samples->last < samples->list.count) { /* several figures of one acquisition */
    struct place_samples *last = &samples->list.items[samples->last];
    if (last->location == location && last->region == region)
      return last;
  }
  uint64_t key = (uint64_t)location << 32 | region, *known = hash_find(&samples->index, key);
  if (known)
    return &samples->list.items[samples->last = *known];
  size_t at = samples->last = samples->list.count;
  if (!vector_push(&samples->list, ((struct place_samples){.location = location, .region = region})) ||
      !hash_add(&samples->index, key, at))
    return NULL;
  return &samples->list.items[at];
}

#define SURE_WAITS_A_SECOND 1000000 /* 1 us */

bool lock_samples_show_wait(const struct lock_samples *samples, uint64_t wait, uint64_t ticks_per_second)
{
  return samples->omitted && ticks_per_second > 0 &&
         wait >= (ticks_per_second + SURE_WAITS_A_SECOND - 1) / SURE_WAITS_A_SECOND;
}

void lock_samples_free(struct lock_samples *samples)
{
  vector_free(&samples->list);
  hash_free(&samples->index);
}

bool table_count_for(struct lock_holders *table, uint32_t lock, uint32_t location, uint32_t region,
                     struct counted *counted)
{
  counted->lock = &table->locks.items[lock].sums;
  counted->thread = party(&table->threads, lock, location);
  counted->place = party(&table->places, lock, region);
  return counted->thread && counted->place;
}

/* Adds what a sample shows of its neighbours that are not recorded. */
static bool add_step(struct lock_holders *table, uint32_t location, uint32_t region, enum lock_figure figure,
                     const struct sampling_step *step)
{
  struct counted counted;
  for (unsigned i = 0; i < step->count; i++) {
    if (step->parts[i].domain == TRACE_NONE)
      continue;
    if (!table_count_for(table, step->parts[i].domain, location, region, &counted))
      return false;
    estimate_add(&counted.lock->more[figure], &step->parts[i].more);
    estimate_add(&counted.thread->more[figure], &step->parts[i].more);
    estimate_add(&counted.place->more[figure], &step->parts[i].more);
  }
  return true;
}

bool table_take_sample(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event,
                       enum lock_figure figure, uint64_t value)
{
  if (event->region == TRACE_NONE)
    return true;
  struct sampling_step step;
  struct place_samples *samples = lock_samples_of(&table->samples, location, event->region);
  if (!samples)
    return false;
  sampling_take(&samples->figures[figure], event->weight, (struct sample){value, lock}, &step);
  return add_step(table, location, event->region, figure, &step);
}

bool table_sample_acquisition(struct lock_holders *table, uint32_t lock, uint32_t location,
                              const struct lock_event *event, uint64_t wait, uint64_t waits)
{
  return table_take_sample(table, lock, location, event, LOCK_ACQUISITIONS, lock != TRACE_NONE) &&
         table_take_sample(table, lock, location, event, LOCK_WAITS, waits) &&
         table_take_sample(table, lock, location, event, LOCK_WAIT, wait);
}

bool table_end_samples(struct lock_holders *table, struct place_samples *samples, uint64_t instances)
{
  bool good = true;
  for (int i = 0; good && i < LOCK_FIGURES; i++) {
    struct sampling_step step;
    struct sampling *figure = &samples->figures[i];
    sampling_end(figure, instances, &step);
    good = add_step(table, samples->location, samples->region, (enum lock_figure)i, &step);
    *figure = (struct sampling){0};
  }
  return good;
}

struct lock_holders *lock_holders_create(const struct trace *trace, lock_sink *sink, void *context)
{
  struct lock_holders *table = calloc(1, sizeof *table);
  if (!table)
    return NULL;
  table->trace = trace;
  table->unmounted.size = sizeof(struct unmounted);
  table->weighted = trace->weight != OTF2_UNDEFINED_ATTRIBUTE;
  table->sink = sink;
  table->context = context;
  table->unparkers = calloc(trace->location_count + 1, sizeof *table->unparkers);
  table->readers = calloc(trace->location_count + 1, sizeof *table->readers);
  if (table->unparkers && table->readers && thread_ids_of_java(&table->java_threads, trace) &&
      thread_ids_of_kernel(&table->kernel_threads, trace))
    return table;
  lock_holders_destroy(table);
  return NULL;
}

void lock_holders_destroy(struct lock_holders *table)
{
  if (!table)
    return;
  vector_free(&table->locks);
  vector_free(&table->holders);
  vector_free(&table->holds);
  free(table->unparkers);
  free(table->readers);
  slots_free(&table->unmounted);
  parties_free(&table->threads);
  parties_free(&table->places);
  callers_free(&table->callers);
  hash_free(&table->index);
  hash_free(&table->java_threads);
  hash_free(&table->kernel_threads);
  lock_samples_free(&table->samples);
  free(table);
}

/* True if an event of a location counts then; else it only says who holds which lock. */
static bool table_is_counted(const struct lock_holders *table, uint32_t location, uint64_t time)
{
  return trace_time_is_inside(table->trace, time) && !table->trace->locations[location].excluded;
}

/* The analyzed part of the time from `since` to an end; the end itself is analyzed. */
static uint64_t part_of(const struct lock_holders *table, uint64_t since, uint64_t end)
{
  return end - trace_time_from(table->trace, since);
}

/* Java's objects differ by class and identity, OpenMP's locks by number. */
static bool is_same(const struct lock *lock, uint32_t process, const struct lock_event *event)
{
  bool java = event->class_name != NULL;
  return lock->process == process && lock->number == event->number && lock_is_java(lock) == java &&
         (!java || (lock_is_pthread(lock->kind) && lock_is_pthread(event->lock_kind)) ||
          (lock->kind == event->lock_kind && strcmp(lock->class_name, event->class_name) == 0));
}

/* The lock of an event, TRACE_NONE: a new one. *key: its key in the index, or the key that it gets. */
static uint32_t find_lock(const struct lock_holders *table, uint32_t process, const struct lock_event *event,
                          uint64_t *key)
{
  *key = hash_mix((uint64_t)process << 32 ^ event->number);
  if (event->class_name)
    *key = lock_is_pthread(event->lock_kind) ? hash_mix(*key) : hash_text(*key, event->class_name);
  for (const uint64_t *at; (at = hash_find(&table->index, *key)); ++*key)
    if (is_same(&table->locks.items[*at], process, event))
      return (uint32_t)*at;
  return TRACE_NONE;
}

/* The lock of an event, perhaps a new one. TRACE_NONE: no memory. */
static uint32_t lock_of(struct lock_holders *table, uint32_t process, const struct lock_event *event)
{
  uint64_t key;
  uint32_t at = find_lock(table, process, event, &key);
  if (at != TRACE_NONE)
    return at;
  at = (uint32_t)table->locks.count;
  struct lock lock = {.kind = event->lock_kind,
                      .process = process,
                      .class_name = event->class_name ? event->class_name : "",
                      .number = event->number,
                      .met = event->time};
  bool good = vector_push(&table->locks, lock) &&
              vector_push(&table->holders, ((struct holder){.location = TRACE_NONE})) &&
              vector_push(&table->holds, ((struct hold){0})) && hash_add(&table->index, key, at);
  return good ? at : TRACE_NONE;
}

/* Another thread waited for a thread, which had acquired the lock at a place (TRACE_NONE: unknown). */
static bool blame(struct lock_holders *table, uint32_t lock, uint32_t location, uint32_t region, uint64_t wait)
{
  struct lock_sums *thread = location == TRACE_NONE ? NULL : party(&table->threads, lock, location);
  if (thread)
    thread->caused += wait;
  struct lock_sums *place = region == TRACE_NONE ? NULL : party(&table->places, lock, region);
  if (place)
    place->caused += wait;
  return (thread || location == TRACE_NONE) && (place || region == TRACE_NONE);
}

static bool take_failed(struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  return !table_is_counted(table, location, event->time) ||
         (table_sample_acquisition(table, TRACE_NONE, location, event, 0, 0) &&
          table_take_sample(table, TRACE_NONE, location, event, LOCK_HELD, 0));
}

/* The location of a Java thread of the same process. TRACE_NONE: it is not in the trace. */
static uint32_t java_thread(const struct lock_holders *table, uint32_t location, uint64_t id)
{
  return thread_ids_find(&table->java_threads, table->trace->locations[location].process, id);
}

/* The thread that ends a process reports the other threads. */
static bool holders_take_omitted(struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  uint32_t thread = event->owner ? java_thread(table, location, event->owner) : TRACE_NONE;
  if (thread != TRACE_NONE)
    location = thread;
  bool counts = table_is_counted(table, location, event->time);
  struct place_samples *samples = counts ? lock_samples_of(&table->samples, location, event->region) : NULL;
  return !counts || (samples && table_end_samples(table, samples, event->weight));
}

static void report_wait(const struct lock_holders *table, uint32_t location, const struct lock_event *event,
                        const struct holder *holder)
{
  if (!table->sink)
    return;
  uint64_t since = trace_time_from(table->trace, event->since);
  bool known = holder->until > since && holder->until <= event->time;
  struct lock_wait wait = {.waiter = location,
                           .holder = holder->location,
                           .region = event->region,
                           .since = since,
                           .until = event->time,
                           .released = known ? holder->until : event->time,
                           .apart = event->lock_kind >= LOCK_MONITOR};
  table->sink(table->context, &wait);
}

/* The thread that an event names as the holder. */
static uint32_t owner_of(const struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  if (!lock_is_pthread(event->lock_kind))
    return java_thread(table, location, event->owner);
  return thread_ids_find(&table->kernel_threads, table->trace->locations[location].process, event->owner);
}

/* The holder that an event names; unknown where it names none. */
static struct holder named_holder(const struct lock_holders *table, uint32_t lock, uint32_t location,
                                  const struct lock_event *event)
{
  struct holder named = {owner_of(table, location, event), event->owner_place, 0}, last = table->holders.items[lock];
  /* Where the owner acquired it: after a wait of its own, as far as it is known. */
  if (lock_is_pthread(event->lock_kind) && named.region == TRACE_NONE && named.location != TRACE_NONE &&
      last.location == named.location)
    named.region = last.region;
  return named;
}

static bool take_acquired(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct counted counted;
  struct holder before = table->holders.items[lock];
  bool waited = before.location != TRACE_NONE && before.location != location && before.until > event->since;
  table->holders.items[lock] = (struct holder){location, event->region, UINT64_MAX};
  if (!table_is_counted(table, location, event->time))
    return true;
  uint64_t wait = part_of(table, event->since, event->time);
  table->samples.omitted |= event->weight > 1;
  bool unknown = !waited && lock_samples_show_wait(&table->samples, wait, table->trace->ticks_per_second) &&
                 !lock_is_java(&table->locks.items[lock]);
  uint64_t counts = waited || unknown || event->blocked;
  if ((table->weighted && !event->blocked &&
       !table_sample_acquisition(table, lock, location, event, counts ? wait : 0, counts)) ||
      !table_count_for(table, lock, location, event->region, &counted))
    return false;
  counted.lock->acquisitions++;
  counted.thread->acquisitions++;
  counted.place->acquisitions++;
  if (!counts || lock_is_java(&table->locks.items[lock])) /* its waits are events of their own */
    return true;
  if (!waited)
    before = named_holder(table, lock, location, event);
  table->unknown += before.location == TRACE_NONE && before.region == TRACE_NONE;
  add_wait(counted.lock, wait);
  add_wait(counted.thread, wait);
  add_wait(counted.place, wait);
  report_wait(table, location, event, &before);
  return blame(table, lock, before.location, before.region, wait);
}

static bool take_released(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct counted counted;
  struct holder *holder = &table->holders.items[lock];
  if (holder->location == location) /* else the next thread holds it: runtimes report releases a little late */
    holder->until = event->time;
  if (!table_is_counted(table, location, event->time))
    return true;
  uint64_t held = part_of(table, event->since, event->time);
  if ((table->weighted && !event->blocked && !table_take_sample(table, lock, location, event, LOCK_HELD, held)) ||
      !table_count_for(table, lock, location, event->region, &counted))
    return false;
  counted.lock->held += held;
  counted.thread->held += held;
  counted.place->held += held;
  return true;
}

/*
 * The holder of a lock of Java's for which a thread waited. If the trace does not name it, the waking thread was the
 * holder of a lock of java.util.concurrent. The last thread that acquired a monitor during the wait held the monitor
 * until its release.
 */
static struct holder java_holder(const struct lock_holders *table, uint32_t lock, uint32_t location,
                                 const struct lock_event *event)
{
  struct holder unknown = {TRACE_NONE, TRACE_NONE, 0};
  if (event->owner != 0 || event->owner_place != TRACE_NONE)
    return named_holder(table, lock, location, event);
  struct holder last = event->lock_kind == LOCK_JAVA ? table->unparkers[location] : table->holders.items[lock];
  /* No record names the thread that unparks a virtual thread, and the holder may be another virtual thread of the same
   * carrier. */
  if (event->virtual_thread && last.until <= event->since)
    last = table->holders.items[lock];
  return last.until > event->since && (last.location != location || event->virtual_thread) ? last : unknown;
}

/* A thread (TRACE_NONE: unknown) held the lock for so many ticks while others waited. */
static bool count_hold(struct lock_holders *table, uint32_t lock, uint32_t location, uint32_t region, uint64_t ticks)
{
  struct lock_sums *sums[] = {&table->locks.items[lock].sums,
                              location == TRACE_NONE ? NULL : party(&table->threads, lock, location),
                              region == TRACE_NONE ? NULL : party(&table->places, lock, region)};
  if ((location != TRACE_NONE && !sums[1]) || (region != TRACE_NONE && !sums[2]))
    return false;
  for (size_t i = 0; i < COUNT_OF(sums); i++)
    if (sums[i]) {
      sums[i]->holds++;
      sums[i]->held_seen += ticks;
    }
  return true;
}

static void take_requested(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct holder named = event->owner != 0 ? named_holder(table, lock, location, event)
                                          : (struct holder){TRACE_NONE, event->owner_place, 0};
  hold_requested(&table->holds.items[lock], event->time, named.location, named.region);
}

/* The thread at `location` (TRACE_NONE: none) is the next holder; `before`: the last one, if the hold does not know. */
static bool take_passed(struct lock_holders *table, uint32_t lock, uint32_t location, uint32_t region, uint64_t time,
                        struct holder before)
{
  struct hold hold;
  if (!hold_passed(&table->holds.items[lock], time, location, region, &hold))
    return true;
  bool known = hold.location != TRACE_NONE || hold.region != TRACE_NONE;
  struct holder who = known ? (struct holder){hold.location, hold.region, 0} : before;
  bool counts = who.location == TRACE_NONE ? trace_time_is_inside(table->trace, time)
                                           : table_is_counted(table, who.location, time);
  return !counts || count_hold(table, lock, who.location, who.region, part_of(table, hold.since, time));
}

/* Object.wait releases a monitor, or acquires it again. Without a waiting thread the monitor is of no interest. */
static bool take_object_wait(struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  uint64_t key;
  uint32_t lock = find_lock(table, table->trace->locations[location].process, event, &key);
  if (lock == TRACE_NONE || table->holds.items[lock].waiting == 0)
    return true;
  bool acquired = event->kind == LOCK_WAIT_ENDS;
  return take_passed(table, lock, acquired ? location : TRACE_NONE, event->region, event->time,
                     acquired ? (struct holder){TRACE_NONE, TRACE_NONE, 0}
                              : (struct holder){location, event->region, 0});
}

/* A wait of Java's. */
static bool count_wait(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event,
                       const struct holder *holder)
{
  struct counted counted;
  if (!table_is_counted(table, location, event->time))
    return true;
  uint64_t wait = part_of(table, event->since, event->time);
  if (!table_count_for(table, lock, location, event->region, &counted) ||
      !callers_add(&table->callers, lock, event->region, event->callers, wait))
    return false;
  add_wait(counted.lock, wait);
  add_wait(counted.thread, wait);
  add_wait(counted.place, wait);
  table->unknown += holder->location == TRACE_NONE && holder->region == TRACE_NONE;
  report_wait(table, location, event, holder);
  return blame(table, lock, holder->location, holder->region, wait);
}

static bool take_wait_end(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct holder holder = java_holder(table, lock, location, event);
  if (strstr(table->locks.items[lock].class_name, "ReadWriteLock"))
    table->readers[location] = (struct reader){event->time, lock + 1, holder};
  if (event->kind == LOCK_WAITED) {
    if (!take_passed(table, lock, location, event->region, event->time, holder))
      return false;
    table->holders.items[lock] = (struct holder){location, event->region, event->time};
  } else if (table->holds.items[lock].waiting == 1 &&
             !take_passed(table, lock, TRACE_NONE, TRACE_NONE, event->time, holder)) {
    return false;
  }
  hold_wait_ended(&table->holds.items[lock]);
  return count_wait(table, lock, location, event, &holder);
}

static uint64_t virtual_key(const struct lock_holders *table, uint32_t location, uint64_t id)
{
  return (uint64_t)table->trace->locations[location].process << 32 ^ id;
}

static bool take_unmounted(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct unmounted unmounted = {*event, lock, location, {TRACE_NONE, TRACE_NONE, 0}};
  return slots_put(&table->unmounted, virtual_key(table, location, event->virtual_thread), &unmounted);
}

/* A virtual thread that waited for a lock goes on: on this location. */
static bool take_mounted(struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  struct unmounted unmounted;
  if (event->owner == 0)
    return true;
  if (slots_take(&table->unmounted, virtual_key(table, location, event->owner), &unmounted)) {
    struct lock_event waited = unmounted.request;
    waited.kind = LOCK_WAITED;
    table->unmounted_ticks += event->time > waited.time ? event->time - waited.time : 0;
    waited.time = event->time;
    if (waited.lock_kind == LOCK_JAVA)
      table->unparkers[location] = unmounted.unparker;
    if (!take_wait_end(table, unmounted.lock, location, &waited))
      return false;
  }
  return thread_ids_set(&table->java_threads, table->trace->locations[location].process, event->owner, location);
}

/* Virtual threads that wait when the trace ends. */
static bool cut_unmounted(struct lock_holders *table)
{
  const struct hash *waits = &table->unmounted.by_key;
  for (size_t i = 0; i < waits->room; i++) {
    if (!waits->entries[i].used)
      continue;
    struct unmounted *unmounted = slots_find(&table->unmounted, waits->entries[i].key);
    unmounted->request.kind = LOCK_CUT;
    table->unmounted_ticks += table->last > unmounted->request.time ? table->last - unmounted->request.time : 0;
    unmounted->request.time = table->last;
    if (!take_wait_end(table, unmounted->lock, unmounted->location, &unmounted->request))
      return false;
  }
  return true;
}

/* Readers that waited for one writer wake each other, as soon as they go on: the writer held the lock. */
static struct holder unparker(const struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  const struct reader *reader = &table->readers[location];
  struct holder by = {location, event->region, event->time};
  if (reader->lock == 0 || reader->by.location == TRACE_NONE ||
      event->time - reader->end > PASSED_ON_US * (table->trace->ticks_per_second / 1000000))
    return by;
  by.location = reader->by.location;
  by.region = reader->by.region;
  return by;
}

static void take_unparked(struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  struct unmounted *waits = slots_find(&table->unmounted, virtual_key(table, location, event->owner));
  if (waits) {
    waits->unparker = unparker(table, location, event);
    return;
  }
  uint32_t thread = java_thread(table, location, event->owner);
  if (thread != TRACE_NONE)
    table->unparkers[thread] = unparker(table, location, event);
}

/* Acquisitions that had no event. */
static bool take_counted(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct counted counted;
  if (!table_is_counted(table, location, event->time))
    return true;
  if (!table_count_for(table, lock, location, event->region, &counted))
    return false;
  counted.lock->acquisitions += event->weight;
  counted.thread->acquisitions += event->weight;
  counted.place->acquisitions += event->weight;
  return true;
}

bool lock_holders_take(struct lock_holders *table, uint32_t location, const struct lock_event *event)
{
  uint64_t process = table->trace->locations[location].process;
  table->last = event->time > table->last ? event->time : table->last;
  switch (event->kind) {
  case LOCK_UNPARKED:
    take_unparked(table, location, event);
    return true;
  case LOCK_MOUNTED:
    return take_mounted(table, location, event);
  case LOCK_WAIT_BEGINS:
  case LOCK_WAIT_ENDS:
    return take_object_wait(table, location, event);
  case LOCK_FAILED:
    return take_failed(table, location, event);
  case LOCK_OMITTED:
    return holders_take_omitted(table, location, event);
  default:
    break;
  }
  uint32_t lock = lock_of(table, (uint32_t)process, event);
  if (lock == TRACE_NONE)
    return false;
  if (event->kind == LOCK_REQUESTED) /* counts do not know the kind */
    table->locks.items[lock].kind = event->lock_kind;
  switch (event->kind) {
  case LOCK_COUNTED:
    return take_counted(table, lock, location, event);
  case LOCK_ACQUIRED:
    return take_acquired(table, lock, location, event);
  case LOCK_RELEASED:
    return take_released(table, lock, location, event);
  case LOCK_REACQUIRED:
    table->holders.items[lock] = (struct holder){location, event->region, UINT64_MAX};
    return true;
  case LOCK_UNMOUNTED:
    return take_unmounted(table, lock, location, event);
  case LOCK_REQUESTED:
    take_requested(table, lock, location, event);
    return true;
  default:
    return take_wait_end(table, lock, location, event);
  }
}

bool lock_holders_finish(struct lock_holders *table, struct locks *locks)
{
  for (size_t i = 0; i < table->samples.list.count; i++)
    if (!table_end_samples(table, &table->samples.list.items[i], 0))
      return false;
  if (!cut_unmounted(table))
    return false;
  locks->unknown = table->unknown;
  locks->list = table->locks.items;
  locks->count = table->locks.count;
  table->locks.items = NULL;
  parties_hand_over(&table->threads, &locks->threads);
  parties_hand_over(&table->places, &locks->places);
  locks->callers = table->callers;
  table->callers = (struct callers){0};
  if ((trace_is_restricted(table->trace) || table->trace->restriction.passes_jvm) && !locks_drop_unlisted(locks))
    return false;
  for (size_t i = 0; i < locks->count; i++)
    locks->wait += locks->list[i].sums.wait;
  return locks_order(locks);
}
