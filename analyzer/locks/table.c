#include "analyzer/locks/table.h"

#include "analyzer/locks/hold.h"
#include "analyzer/locks/order.h"
#include "analyzer/trace/restriction.h"
#include "common/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* Who has a lock, or had it last. */
struct holder {
  uint32_t location; /* TRACE_NONE: nobody yet */
  uint32_t region;
  uint64_t until; /* UINT64_MAX: it has it still. Java: when it got it, because more is not known */
};

struct parties {
  struct lock_party *list;
  size_t count, room;
  struct ref_map index; /* lock << 32 | who -> place in the list */
};

struct lock_table {
  const struct trace *trace;
  lock_sink *sink; /* NULL: nobody wants to know each wait */
  void *context;
  struct lock *locks;
  struct holder *holders; /* by lock */
  struct hold *holds;     /* by lock; Java's */
  size_t count, room;
  struct ref_map index; /* hash of what tells locks apart, or the next that was free -> lock */
  struct parties threads, places;
  struct ref_map java_threads; /* process << 32 | Thread.getId() -> location; of virtual threads: that ran it last */
  struct holder *unparkers;    /* by location: who let it go on last, and when */
};

static bool map_java_threads(struct lock_table *table)
{
  const struct trace *trace = table->trace;
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_LOCATION || strcmp(property->name, LOCATION_JAVA_ID) != 0)
      continue;
    uint64_t process = trace->locations[property->index].process;
    uint64_t key = process << 32 | (uint32_t)strtoull(property->value, NULL, 10);
    if (!ref_map_set(&table->java_threads, key, property->index))
      return false;
  }
  return true;
}

struct lock_table *lock_table_create(const struct trace *trace, lock_sink *sink, void *context)
{
  struct lock_table *table = calloc(1, sizeof *table);
  if (!table)
    return NULL;
  table->trace = trace;
  table->sink = sink;
  table->context = context;
  table->unparkers = calloc(trace->location_count + 1, sizeof *table->unparkers);
  if (table->unparkers && map_java_threads(table))
    return table;
  lock_table_destroy(table);
  return NULL;
}

void lock_table_destroy(struct lock_table *table)
{
  if (!table)
    return;
  free(table->locks);
  free(table->holders);
  free(table->holds);
  free(table->unparkers);
  free(table->threads.list);
  free(table->places.list);
  ref_map_free(&table->index);
  ref_map_free(&table->threads.index);
  ref_map_free(&table->places.index);
  ref_map_free(&table->java_threads);
  free(table);
}

/* Whether what a location does then is to be counted; else it only says who has which lock. */
static bool is_counted(const struct lock_table *table, uint32_t location, uint64_t time)
{
  return trace_time_is_inside(table->trace, time) && !table->trace->locations[location].left_out;
}

/* That part of the time from `since` to an end that is looked at; the end is. */
static uint64_t part_of(const struct lock_table *table, uint64_t since, uint64_t end)
{
  return end - trace_time_from(table->trace, since);
}

/* Java's objects are told apart by class and identity, OpenMP's locks by number. */
static bool is_same(const struct lock *lock, uint32_t process, const struct lock_event *event)
{
  bool java = event->class_name != NULL;
  return lock->process == process && lock->number == event->number && lock_is_java(lock) == java &&
         (!java || (lock->kind == event->lock_kind && strcmp(lock->class_name, event->class_name) == 0));
}

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 29;
}

static bool grow(struct lock_table *table)
{
  size_t room = table->room ? 2 * table->room : 64;
  struct lock *locks = reallocarray(table->locks, room, sizeof *locks);
  if (locks)
    table->locks = locks;
  struct holder *holders = reallocarray(table->holders, room, sizeof *holders);
  if (holders)
    table->holders = holders;
  struct hold *holds = reallocarray(table->holds, room, sizeof *holds);
  if (holds)
    table->holds = holds;
  if (!locks || !holders || !holds)
    return false;
  table->room = room;
  return true;
}

/* The lock of an event, TRACE_NONE if it is new. *key: where it is in the index, or belongs. */
static uint32_t find_lock(const struct lock_table *table, uint32_t process, const struct lock_event *event,
                          uint64_t *key)
{
  *key = mix((uint64_t)process << 32 ^ event->number);
  for (const char *c = event->class_name; c && *c; c++)
    *key = mix(*key ^ (unsigned char)*c);
  uint32_t at;
  for (; (at = ref_map_get(&table->index, *key)) != REF_MAP_NONE; ++*key)
    if (is_same(&table->locks[at], process, event))
      return at;
  return TRACE_NONE;
}

/* The lock of an event, which may be new; TRACE_NONE: no memory. */
static uint32_t lock_of(struct lock_table *table, uint32_t process, const struct lock_event *event)
{
  uint64_t key;
  uint32_t at = find_lock(table, process, event, &key);
  if (at != TRACE_NONE)
    return at;
  if (table->count == table->room && !grow(table))
    return TRACE_NONE;
  table->locks[table->count] = (struct lock){.kind = event->lock_kind,
                                             .process = process,
                                             .class_name = event->class_name ? event->class_name : "",
                                             .number = event->number,
                                             .met = event->time};
  table->holders[table->count] = (struct holder){.location = TRACE_NONE};
  table->holds[table->count] = (struct hold){0};
  return ref_map_set(&table->index, key, (uint32_t)table->count) ? (uint32_t)table->count++ : TRACE_NONE;
}

/* The sums of a thread or place; NULL: no memory. */
static struct lock_sums *party(struct parties *parties, uint32_t lock, uint32_t who)
{
  uint64_t key = (uint64_t)lock << 32 | who;
  uint32_t at = ref_map_get(&parties->index, key);
  if (at != REF_MAP_NONE)
    return &parties->list[at].sums;
  if (parties->count == parties->room) {
    size_t room = parties->room ? 2 * parties->room : 64;
    struct lock_party *list = reallocarray(parties->list, room, sizeof *list);
    if (!list)
      return NULL;
    parties->list = list;
    parties->room = room;
  }
  parties->list[parties->count] = (struct lock_party){.lock = lock, .who = who};
  if (!ref_map_set(&parties->index, key, (uint32_t)parties->count))
    return NULL;
  return &parties->list[parties->count++].sums;
}

static void add_wait(struct lock_sums *sums, uint64_t wait)
{
  sums->waits++;
  sums->wait += wait;
  if (wait > sums->wait_max)
    sums->wait_max = wait;
}

/* The sums that an event of a thread at a place counts for. */
struct counted {
  struct lock_sums *lock, *thread, *place;
};

static bool count_for(struct lock_table *table, uint32_t lock, uint32_t location, uint32_t region,
                      struct counted *counted)
{
  counted->lock = &table->locks[lock].sums;
  counted->thread = party(&table->threads, lock, location);
  counted->place = party(&table->places, lock, region);
  return counted->thread && counted->place;
}

/* Others waited for a thread (TRACE_NONE: not known which) at a place. */
static bool blame(struct lock_table *table, uint32_t lock, uint32_t location, uint32_t region, uint64_t wait)
{
  struct lock_sums *thread = location == TRACE_NONE ? NULL : party(&table->threads, lock, location);
  if (thread)
    thread->caused += wait;
  struct lock_sums *place = region == TRACE_NONE ? NULL : party(&table->places, lock, region);
  if (place)
    place->caused += wait;
  return (thread || location == TRACE_NONE) && (place || region == TRACE_NONE);
}

static void tell(const struct lock_table *table, uint32_t location, const struct lock_event *event,
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
                           .released = known ? holder->until : event->time};
  table->sink(table->context, &wait);
}

static bool take_acquired(struct lock_table *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct counted counted;
  struct holder before = table->holders[lock];
  bool waited = before.location != TRACE_NONE && before.location != location && before.until > event->since;
  table->holders[lock] = (struct holder){location, event->region, UINT64_MAX};
  if (!is_counted(table, location, event->time))
    return true;
  uint64_t wait = part_of(table, event->since, event->time);
  if (!count_for(table, lock, location, event->region, &counted))
    return false;
  counted.lock->acquisitions++;
  counted.thread->acquisitions++;
  counted.place->acquisitions++;
  if (!waited || lock_is_java(&table->locks[lock])) /* what waited for a monitor was told before */
    return true;
  add_wait(counted.lock, wait);
  add_wait(counted.thread, wait);
  add_wait(counted.place, wait);
  tell(table, location, event, &before);
  return blame(table, lock, before.location, before.region, wait);
}

static bool take_released(struct lock_table *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct counted counted;
  struct holder *holder = &table->holders[lock];
  if (holder->location == location) /* else the next one has it already: releases are told a little late */
    holder->until = event->time;
  if (!is_counted(table, location, event->time))
    return true;
  if (!count_for(table, lock, location, event->region, &counted))
    return false;
  uint64_t held = part_of(table, event->since, event->time);
  counted.lock->held += held;
  counted.thread->held += held;
  counted.place->held += held;
  return true;
}

/* The location of a Java thread, as a location of the same process knows it; TRACE_NONE: it is not there. */
static uint32_t java_thread(const struct lock_table *table, uint32_t location, uint64_t id)
{
  uint64_t process = table->trace->locations[location].process;
  return id == 0 ? TRACE_NONE : ref_map_get(&table->java_threads, process << 32 | (uint32_t)id);
}

/*
 * Who had a lock of Java's that a thread waited for. Where the trace does not say it: who let the thread go on had a
 * lock of java.util.concurrent; and whoever got a monitor in the meantime had it until it was given up.
 */
static struct holder java_holder(const struct lock_table *table, uint32_t lock, uint32_t location,
                                 const struct lock_event *event)
{
  struct holder nobody = {TRACE_NONE, TRACE_NONE, 0};
  if (event->owner != 0 || event->owner_place != TRACE_NONE)
    return (struct holder){java_thread(table, location, event->owner), event->owner_place, 0};
  struct holder last = event->lock_kind == LOCK_JAVA ? table->unparkers[location] : table->holders[lock];
  return last.until > event->since && last.location != location ? last : nobody;
}

/* Somebody had the lock for so long while others waited. */
static bool count_hold(struct lock_table *table, uint32_t lock, uint32_t location, uint32_t region, uint64_t ticks)
{
  struct lock_sums *sums[] = {&table->locks[lock].sums,
                              location == TRACE_NONE ? NULL : party(&table->threads, lock, location),
                              region == TRACE_NONE ? NULL : party(&table->places, lock, region)};
  if ((location != TRACE_NONE && !sums[1]) || (region != TRACE_NONE && !sums[2]))
    return false;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    if (sums[i]) {
      sums[i]->holds++;
      sums[i]->held_seen += ticks;
    }
  return true;
}

static void take_asked(struct lock_table *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  hold_asked(&table->holds[lock], event->time, java_thread(table, location, event->owner), event->owner_place);
}

/* A lock passes to the thread at `location`, TRACE_NONE: to nobody; giver: who had it, where that is not known yet. */
static bool take_passed(struct lock_table *table, uint32_t lock, uint32_t location, uint32_t region, uint64_t time,
                        struct holder giver)
{
  struct hold before;
  if (!hold_passed(&table->holds[lock], time, location, region, &before))
    return true;
  bool known = before.location != TRACE_NONE || before.region != TRACE_NONE;
  struct holder who = known ? (struct holder){before.location, before.region, 0} : giver;
  bool counts =
      who.location == TRACE_NONE ? trace_time_is_inside(table->trace, time) : is_counted(table, who.location, time);
  return !counts || count_hold(table, lock, who.location, who.region, part_of(table, before.since, time));
}

/* A monitor is given up, or regained, by Object.wait; one that nobody waits for is of no interest. */
static bool take_wait(struct lock_table *table, uint32_t location, const struct lock_event *event)
{
  uint64_t key;
  uint32_t lock = find_lock(table, table->trace->locations[location].process, event, &key);
  if (lock == TRACE_NONE || table->holds[lock].waiting == 0)
    return true;
  bool regained = event->kind == LOCK_REGAINED;
  return take_passed(table, lock, regained ? location : TRACE_NONE, event->region, event->time,
                     regained ? (struct holder){TRACE_NONE, TRACE_NONE, 0}
                              : (struct holder){location, event->region, 0});
}

/* A wait of Java's. */
static bool count_blocked(struct lock_table *table, uint32_t lock, uint32_t location, const struct lock_event *event,
                          const struct holder *holder)
{
  struct counted counted;
  if (!is_counted(table, location, event->time))
    return true;
  uint64_t wait = part_of(table, event->since, event->time);
  if (!count_for(table, lock, location, event->region, &counted))
    return false;
  add_wait(counted.lock, wait);
  add_wait(counted.thread, wait);
  add_wait(counted.place, wait);
  tell(table, location, event, holder);
  return blame(table, lock, holder->location, holder->region, wait);
}

static bool take_blocked(struct lock_table *table, uint32_t lock, uint32_t location, const struct lock_event *event)
{
  struct holder holder = java_holder(table, lock, location, event);
  if (event->kind == LOCK_BLOCKED) {
    if (!take_passed(table, lock, location, event->region, event->time, holder))
      return false;
    table->holders[lock] = (struct holder){location, event->region, event->time};
  } else if (table->holds[lock].waiting == 1 &&
             !take_passed(table, lock, TRACE_NONE, TRACE_NONE, event->time, holder)) {
    return false;
  }
  hold_waited(&table->holds[lock]);
  return count_blocked(table, lock, location, event, &holder);
}

static void take_unparked(struct lock_table *table, uint32_t location, const struct lock_event *event)
{
  uint32_t thread = java_thread(table, location, event->owner);
  if (thread != TRACE_NONE)
    table->unparkers[thread] = (struct holder){location, event->region, event->time};
}

bool lock_table_take(struct lock_table *table, uint32_t location, const struct lock_event *event)
{
  uint64_t process = table->trace->locations[location].process;
  switch (event->kind) {
  case LOCK_UNPARKED:
    take_unparked(table, location, event);
    return true;
  case LOCK_MOUNTED:
    return event->owner == 0 || ref_map_set(&table->java_threads, process << 32 | (uint32_t)event->owner, location);
  case LOCK_GIVEN_UP:
  case LOCK_REGAINED:
    return take_wait(table, location, event);
  default:
    break;
  }
  uint32_t lock = lock_of(table, table->trace->locations[location].process, event);
  if (lock == TRACE_NONE)
    return false;
  switch (event->kind) {
  case LOCK_ACQUIRED:
    return take_acquired(table, lock, location, event);
  case LOCK_RELEASED:
    return take_released(table, lock, location, event);
  case LOCK_HAD_AGAIN:
    table->holders[lock] = (struct holder){location, event->region, UINT64_MAX};
    return true;
  case LOCK_ASKED:
    take_asked(table, lock, location, event);
    return true;
  default:
    return take_blocked(table, lock, location, event);
  }
}

static void hand_over(struct parties *parties, struct lock_parties *result)
{
  *result = (struct lock_parties){parties->list, parties->count};
  parties->list = NULL;
}

/* Without what belongs to a lock that is not listed. */
static void drop_parties(struct parties *parties, const uint32_t *numbers)
{
  size_t kept = 0;
  for (size_t i = 0; i < parties->count; i++) {
    uint32_t lock = numbers[parties->list[i].lock];
    parties->list[kept] = parties->list[i];
    parties->list[kept].lock = lock;
    kept += lock != TRACE_NONE;
  }
  parties->count = kept;
}

/* Drops locks that were met only outside of what is looked at: nothing was counted of them. False: no memory. */
static bool drop_unlisted(struct lock_table *table)
{
  static const struct lock_sums nothing;
  uint32_t *numbers = malloc((table->count + 1) * sizeof *numbers);
  if (!numbers)
    return false;
  size_t kept = 0;
  for (size_t i = 0; i < table->count; i++) {
    bool listed = memcmp(&table->locks[i].sums, &nothing, sizeof nothing) != 0;
    numbers[i] = listed ? (uint32_t)kept : TRACE_NONE;
    table->locks[kept] = table->locks[i];
    kept += listed;
  }
  table->count = kept;
  drop_parties(&table->threads, numbers);
  drop_parties(&table->places, numbers);
  free(numbers);
  return true;
}

bool lock_table_finish(struct lock_table *table, struct locks *locks)
{
  if (trace_is_restricted(table->trace) && !drop_unlisted(table))
    return false;
  for (size_t i = 0; i < table->count; i++)
    locks->wait += table->locks[i].sums.wait;
  locks->list = table->locks;
  locks->count = table->count;
  table->locks = NULL;
  hand_over(&table->threads, &locks->threads);
  hand_over(&table->places, &locks->places);
  return locks_order(locks);
}
