#include "analyzer/analyses/account/releases.h"

#include "analyzer/trace/bound_to.h"
#include "analyzer/trace/states/state.h"
#include "base/count_of.h"
#include "base/hash.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

enum {
  PROCESSORS_MOST = 65536,
  PASSED_ON_US = 50,   /* a thread that lets the next one go on does so within */
  MEETINGS = 4,        /* of a team that can be open at once */
  BLOCK_FIRST = 8,     /* records in the first block of a thread; each is twice as large as the one before, ... */
  BLOCK_MOST = 4096,   /* ... up to this */
  STASH_MOST = 1 << 20 /* records that a reader keeps for waits that begin later */
};

struct release_block {
  uint64_t offset;
  uint32_t count, size; /* records; bytes */
};
struct release_block_list {
  VECTOR(struct release_block) list;
};

struct action {
  uint64_t time;
  uint32_t by; /* location; TRACE_NONE: none */
  bool all;    /* a signal to all */
};

struct meeting {
  uint64_t key; /* instance << 32 | number */
  struct action last;
};

struct team_member {
  uint32_t instance, arrivals;
};

struct met_team {
  uint32_t instance;
  uint32_t begun;     /* members of this instance */
  bool of_region;     /* a member is in a parallel region: workers join the team before they enter it */
  uint64_t last_task; /* the end of one, last */
  struct team_member *members;
  struct meeting meetings[MEETINGS];
};

struct object {
  uint32_t waiting;
  struct action last;   /* signal, or arrival of this instance */
  struct action before; /* the last arrival of the instance before */
  uint32_t instance;
  bool left;
};

struct pending_wait {
  uint64_t ordinal, start, key, owner;
  uint32_t team, instance, meeting;
  uint8_t waits;
  bool shared; /* several threads may have the lock: each lets the next one go on as soon as it goes on */
  bool meets;  /* at an object of Java where a crew may meet */
  bool counts; /* at a latch of Java */
  bool joins;  /* perhaps for what threads do that it has created */
};

/* The last wait for a lock of Java's: who ended it. */
struct passed_wait {
  uint64_t key, end;
  uint32_t by;
  bool shared;
};

struct releasing_thread {
  struct activity now;
  bool demand, takes; /* takes: it has executed a task of a pool */
  uint64_t stopped;
  uint64_t stuck_until; /* the end of a wait that nothing ended; 0: none */
  uint32_t stuck_at;    /* its region, */
  uint32_t stuck_for;   /* ... and the thread that it is for; TRACE_NONE: unknown */
  uint64_t off_since;   /* when it last lost its processor in a wait, and was blocked */
  struct action permit;
  uint32_t routine; /* region of its start + 1; 0: unknown */
  uint64_t awaited; /* the key of the last atomic or semaphore that it waited for; 0: none */
  struct passed_wait passed;
  uint32_t crew; /* that it has created last; TRACE_NONE: none */
  VECTOR(struct pending_wait) waits;
  struct wait_record *block;
  uint32_t block_count, block_room;
};

struct release_finder {
  struct releases *out;
  bool paused;        /* measurement is off */
  struct error error; /* of the spool */
  uint8_t *packed;    /* a block as bytes; NULL: none yet */
  struct releasing_thread *threads;
  struct met_team *teams;
  struct slots objects; /* by key, as long as a thread waits */
  struct hash locks;    /* key -> index of `released` */
  VECTOR(struct action) released;
  struct hash java_threads, kernel_threads, posix_threads, creators;
  struct hash creations;               /* as `creators`, to the region of the creation */
  VECTOR(struct created_group) groups; /* by crew */
  uint64_t *at_once; /* ticks, by the number of threads with something to do; at most `at_once_most` */
  uint32_t demand, at_once_most;
  struct hash unmounted; /* keys of virtual threads that wait at a lock or are blocked, without a carrier */
  uint64_t now;
  bool failed;
};

static const struct action no_action = {.by = TRACE_NONE};

/* The crew that a creator's wait is for. NULL: none. */
static const struct created_group *group_joined(const struct release_finder *finder, uint32_t location,
                                                const struct pending_wait *wait)
{
  uint64_t key = wait->waits == FOR_END ? wait->key : 0;
  uint32_t joined = key ? (uint32_t)(key - 1) : TRACE_NONE, crew = finder->threads[location].crew;
  if (joined < finder->out->trace->location_count && finder->out->creators[joined] == location)
    crew = finder->out->crews.of[joined];
  return crew == TRACE_NONE ? NULL : &finder->groups.items[crew];
}

/* Whether a thread in this activity has something to do, or waits for somebody who has. */
static bool has_demand(const struct release_finder *finder, uint32_t location)
{
  const struct releasing_thread *thread = &finder->threads[location];
  unsigned does = thread->now.does, service = finder->out->services[location];
  if (does == DOES_NOTHING || does == DOES_IDLE || does == DOES_OUTSIDE || service == SERVICE_OF_JVM)
    return false;
  if (does != DOES_WAIT)
    return service == NO_SERVICE || (does != DOES_BLOCKED && does != DOES_LIBRARY && does != DOES_START);
  const struct pending_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
  const struct created_group *group = wait && wait->joins ? group_joined(finder, location, wait) : NULL;
  bool team = group && (group_is_team(group) || group->of_pool);
  return service == NO_SERVICE && !(team && group->alive > 0 && group->ended == 0);
}

static void count_demand(struct release_finder *finder, uint32_t location)
{
  struct releasing_thread *thread = &finder->threads[location];
  bool demand = has_demand(finder, location);
  finder->demand += (uint32_t)demand - (uint32_t)thread->demand;
  thread->demand = demand;
}

/* A block that is full goes to disk. */
static bool write_block(struct release_finder *finder, uint32_t location)
{
  struct releasing_thread *thread = &finder->threads[location];
  struct release_block block = {.count = thread->block_count};
  if (thread->block_count == 0)
    return true;
  if (!finder->out->spool && (finder->out->spool = spool_create(&finder->error)) == NULL)
    return false;
  if (!finder->packed && (finder->packed = malloc(BLOCK_MOST * WAIT_RECORD_MOST)) == NULL)
    return false;
  block.size = (uint32_t)wait_records_pack(finder->packed, thread->block, thread->block_count);
  bool good = spool_append(finder->out->spool, finder->packed, block.size, &block.offset) ||
              spool_fail(finder->out->spool, &finder->error);
  thread->block_count = 0;
  return good && vector_push(&finder->out->blocks[location].list, block);
}

static void keep(struct release_finder *finder, uint32_t location, const struct wait_record *record)
{
  struct releasing_thread *thread = &finder->threads[location];
  if (thread->block_count == thread->block_room) {
    finder->failed |= !write_block(finder, location);
    uint32_t room = thread->block_room == 0 ? BLOCK_FIRST : 2 * thread->block_room;
    if (room <= BLOCK_MOST) {
      struct wait_record *more = reallocarray(thread->block, room, sizeof *more);
      finder->failed |= !more;
      if (!more)
        return;
      thread->block = more;
      thread->block_room = room;
    }
  }
  thread->block[thread->block_count++] = *record;
}

static uint32_t thread_of(const struct release_finder *finder, const struct hash *ids, uint32_t location, uint64_t id)
{
  return thread_ids_find(ids, finder->out->trace->locations[location].process, id);
}

/* By Java's id, or the kernel's. */
static uint32_t named_thread(const struct release_finder *finder, uint32_t location, uint64_t id)
{
  uint32_t java = thread_of(finder, &finder->java_threads, location, id);
  return java != TRACE_NONE ? java : thread_of(finder, &finder->kernel_threads, location, id);
}

/* Classes of java.util.concurrent at whose objects threads wait for each other. Pools wait for tasks at them, too. */
static bool may_meet(const struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  static const char *const classes[] = {"$ConditionObject", "Phaser$QNode", "CountDownLatch$Sync", "Exchanger"};
  bool may = step->waits == FOR_SIGNAL;
  for (size_t i = 0; i < COUNT_OF(classes) && step->waits == FOR_PERMIT && step->lock_class; i++)
    may |= strstr(step->lock_class, classes[i]) != NULL;
  return may && finder->out->crews.routines[location] != 0 &&
         (step->flags & ACT_IN_TASK || !finder->out->crews.of_pool[location]);
}

static void begin_wait(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  struct pending_wait wait = {.ordinal = step->ordinal,
                              .start = step->time,
                              .key = step->number,
                              .owner = step->owner,
                              .team = step->team,
                              .waits = step->waits,
                              .shared = step->lock_class && strstr(step->lock_class, "ReadWriteLock") != NULL,
                              .meets = may_meet(finder, location, step),
                              .joins = step->waits == FOR_END || step->waits == FOR_SIGNAL || step->waits == FOR_PERMIT,
                              .counts = step->waits == FOR_PERMIT && step->lock_class &&
                                        strstr(step->lock_class, "CountDownLatch$Sync") != NULL};
  if (step->waits == FOR_MEETING && step->team != TRACE_NONE) {
    struct met_team *team = &finder->teams[step->team];
    uint32_t rank = trace_team_rank(&finder->out->trace->teams[step->team], location);
    if (rank == TRACE_NONE || !team->members)
      wait.team = TRACE_NONE;
    else {
      wait.instance = team->members[rank].instance;
      wait.meeting = team->members[rank].arrivals++;
      struct meeting *meeting = &team->meetings[wait.meeting % MEETINGS];
      *meeting = (struct meeting){(uint64_t)wait.instance << 32 | wait.meeting, {.time = step->time, .by = location}};
    }
  }
  bool of_object = step->waits == FOR_OBJECT_MEETING || step->waits == FOR_MUTEX || step->waits == FOR_ATOMIC ||
                   step->waits == FOR_SIGNAL || step->waits == FOR_SEMAPHORE;
  if (step->waits == FOR_ATOMIC || step->waits == FOR_SEMAPHORE)
    finder->threads[location].awaited = step->number;
  if (of_object && step->number != 0) {
    struct object *object = slots_find(&finder->objects, step->number);
    struct object fresh = {.last = no_action, .before = no_action};
    if (!object) {
      finder->failed |= !slots_put(&finder->objects, step->number, &fresh);
      object = slots_find(&finder->objects, step->number);
    }
    if (object) {
      object->waiting++;
      if (step->waits == FOR_OBJECT_MEETING) {
        if (object->left) {
          object->before = object->last;
          object->instance++;
          object->left = false;
        }
        object->last = (struct action){.time = step->time, .by = location};
        wait.instance = object->instance;
      }
    }
  }
  finder->failed |= !vector_push(&finder->threads[location].waits, wait);
}

static struct action release_at_object(struct release_finder *finder, const struct pending_wait *wait)
{
  struct object *object = wait->key ? slots_find(&finder->objects, wait->key) : NULL;
  struct action action = no_action;
  if (!object)
    return action;
  if (wait->waits == FOR_OBJECT_MEETING) {
    action = wait->instance == object->instance ? object->last : object->before;
    object->left |= wait->instance == object->instance;
  } else {
    action = object->last;
  }
  struct object unused;
  if (--object->waiting == 0)
    slots_take(&finder->objects, wait->key, &unused);
  return action;
}

static struct action release_of(struct release_finder *finder, uint32_t location, const struct pending_wait *wait,
                                const struct account_step *step, uint64_t *detail)
{
  const struct met_team *team =
      wait->waits == FOR_MEETING && wait->team != TRACE_NONE ? &finder->teams[wait->team] : NULL;
  uint32_t other;
  switch (wait->waits) {
  case FOR_MEETING:
    if (team && team->meetings[wait->meeting % MEETINGS].key == ((uint64_t)wait->instance << 32 | wait->meeting)) {
      struct action last = team->meetings[wait->meeting % MEETINGS].last;
      if (team->last_task > last.time && team->last_task <= step->time) {
        *detail = last.time > wait->start ? last.time : wait->start;
        last.time = team->last_task;
      }
      return last;
    }
    return no_action;
  case FOR_OBJECT_MEETING:
  case FOR_MUTEX:
  case FOR_ATOMIC:
  case FOR_SIGNAL:
  case FOR_SEMAPHORE:
    return release_at_object(finder, wait);
  case FOR_LOCK: {
    *detail = step->number;
    const uint64_t *index = step->number ? hash_find(&finder->locks, step->number) : NULL;
    return index ? finder->released.items[*index] : no_action;
  }
  case FOR_PERMIT:
  case FOR_PERMIT_LOCK:
    return finder->threads[location].permit;
  case FOR_OWNER:
    other = named_thread(finder, location, step->owner ? step->owner : wait->owner);
    return (struct action){.time = other == TRACE_NONE ? 0 : step->time, .by = other};
  case FOR_END:
    other = wait->key ? (uint32_t)(wait->key - 1) : TRACE_NONE;
    if (other == TRACE_NONE || other >= finder->out->trace->location_count)
      return no_action;
    return (struct action){.time = finder->threads[other].stopped ? finder->threads[other].stopped : step->time,
                           .by = other};
  default:
    return no_action;
  }
}

/* Threads that do the same: the other one waits for this object, too, or both have one creator and one routine. */
static bool are_peers(const struct release_finder *finder, uint32_t location, uint32_t other,
                      const struct pending_wait *wait)
{
  const uint32_t *creators = finder->out->creators;
  const struct releasing_thread *one = &finder->threads[location], *two = &finder->threads[other];
  return (wait->key != 0 && two->awaited == wait->key) ||
         (one->routine != 0 && one->routine == two->routine && creators[location] != TRACE_NONE &&
          creators[location] == creators[other]);
}

/* The thread is the creator of the waker's crew, and another member has ended already. */
static bool joins_crew(const struct release_finder *finder, uint32_t location, uint32_t waker)
{
  uint32_t crew = finder->out->creators[waker] == location ? finder->out->crews.of[waker] : TRACE_NONE;
  return crew != TRACE_NONE && group_is_team(&finder->groups.items[crew]) && finder->groups.items[crew].ended > 0;
}

/*
 * A wait that did not end, and an action after its thread was blocked last: it would go on if it had a processor.
 * Whether it runs at the end says nothing: a thread runs when it is killed.
 */
static bool was_woken(const struct releasing_thread *thread, uint32_t location, const struct pending_wait *wait,
                      struct action action)
{
  bool acts = wait->waits != FOR_MEETING && wait->waits != FOR_OBJECT_MEETING && wait->waits != FOR_OWNER &&
              wait->waits != FOR_END && action.by != TRACE_NONE && action.by != location;
  return acts && action.time > wait->start && action.time >= thread->off_since;
}

static void end_pending(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  struct releasing_thread *thread = &finder->threads[location];
  size_t at = thread->waits.count;
  while (at > 0 && thread->waits.items[at - 1].ordinal != step->ordinal)
    at--;
  if (at == 0)
    return;
  struct pending_wait wait = thread->waits.items[at - 1];
  struct wait_record record = {.ordinal = step->ordinal, .release = step->time, .end = step->time, .waker = TRACE_NONE};
  struct action action = release_of(finder, location, &wait, step, &record.detail);
  memmove(&thread->waits.items[at - 1], &thread->waits.items[at], (thread->waits.count - at) * sizeof wait);
  thread->waits.count--;
  bool meeting = wait.waits == FOR_MEETING || wait.waits == FOR_OBJECT_MEETING;
  if (action.by != TRACE_NONE && (action.time >= wait.start || meeting || wait.waits == FOR_END)) {
    record.waker = action.by;
    record.release = action.time < wait.start ? wait.start : action.time > step->time ? step->time : action.time;
  }
  if (wait.waits == FOR_PERMIT_LOCK)
    thread->passed = (struct passed_wait){wait.key, step->time, record.waker, wait.shared};
  bool never = step->flags & ACT_CUT;
  uint32_t known = wait.waits == FOR_OWNER || wait.waits == FOR_END ? action.by
                   : wait.owner                                     ? named_thread(finder, location, wait.owner)
                                                                    : TRACE_NONE;
  if (never && !was_woken(thread, location, &wait, action)) {
    thread->stuck_until = step->time;
    thread->stuck_at = step->region;
    thread->stuck_for = known;
  } else if (never) {
    thread->stuck_until = 0;
  }
  bool late = step->flags & ACT_TIMED_OUT && (wait.waits == FOR_SIGNAL || wait.waits == FOR_SEMAPHORE ||
                                              wait.waits == FOR_ATOMIC || wait.waits == FOR_PERMIT);
  if (never || late) {
    record.release = step->time;
    record.waker = never && (wait.waits == FOR_MUTEX || known == record.waker) ? known : TRACE_NONE;
  }
  record.flags = (uint8_t)((late ? WAIT_TIMES_OUT : 0) | (never ? WAIT_NEVER_ENDS : 0) |
                           (record.waker == TRACE_NONE ? WAIT_UNRELEASED : 0));
  bool either = wait.waits == FOR_ATOMIC || wait.waits == FOR_SEMAPHORE;
  if (either && record.waker != TRACE_NONE && are_peers(finder, location, record.waker, &wait))
    record.flags |= action.all ? WAIT_MEETS : WAIT_LOCKS;
  if (wait.meets && record.waker != TRACE_NONE && crews_are_peers(&finder->out->crews, location, record.waker))
    record.flags |= WAIT_MEETS;
  else if (wait.counts && record.waker != TRACE_NONE && joins_crew(finder, location, record.waker))
    record.flags |= WAIT_JOINS;
  keep(finder, location, &record);
}

/* The lock of a wait whose record was kept a moment ago. */
static void name_lock(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  struct releasing_thread *thread = &finder->threads[location];
  struct wait_record *record = thread->block_count ? &thread->block[thread->block_count - 1] : NULL;
  const uint64_t *index = hash_find(&finder->locks, step->number);
  if (!record || record->ordinal != step->ordinal)
    return;
  record->detail = step->number;
  if (!index || finder->released.items[*index].by == location)
    return;
  struct action action = finder->released.items[*index];
  record->waker = action.by;
  record->release = action.time < record->release ? action.time : record->release;
  record->flags &= (uint8_t)~WAIT_UNRELEASED;
}

/* Readers that waited for one writer wake each other: all of them waited for the writer. */
static void give_permit(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  uint32_t other = thread_of(finder, &finder->java_threads, location, step->number);
  if (other == TRACE_NONE)
    return;
  const struct passed_wait *passed = &finder->threads[location].passed;
  const struct releasing_thread *to = &finder->threads[other];
  const struct pending_wait *wait = to->waits.count ? &to->waits.items[to->waits.count - 1] : NULL;
  bool passes_on = wait && wait->waits == FOR_PERMIT_LOCK && passed->shared && passed->key == wait->key &&
                   passed->by != TRACE_NONE && passed->by != other &&
                   step->time - passed->end <= PASSED_ON_US * (finder->out->trace->ticks_per_second / 1000000);
  finder->threads[other].permit = (struct action){.time = step->time, .by = passes_on ? passed->by : location};
}

static void signal_object(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  struct object *object = step->number ? slots_find(&finder->objects, step->number) : NULL;
  if (object)
    object->last = (struct action){.time = step->time, .by = location, .all = step->flags & ACT_ALL};
}

static void release_lock(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  const uint64_t *index = hash_find(&finder->locks, step->number);
  struct action action = {.time = step->time, .by = location};
  if (index)
    finder->released.items[*index] = action;
  else
    finder->failed |=
        !hash_add(&finder->locks, step->number, finder->released.count) || !vector_push(&finder->released, action);
}

static void begin_team(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  if (step->team == TRACE_NONE)
    return;
  struct met_team *team = &finder->teams[step->team];
  const struct trace_team *of = &finder->out->trace->teams[step->team];
  uint32_t rank = trace_team_rank(of, location);
  if (!team->members) {
    team->members = calloc((size_t)of->size + 1, sizeof *team->members);
    team->instance = 1;
    finder->failed |= !team->members;
  }
  if (rank == TRACE_NONE || !team->members)
    return;
  if (team->members[rank].instance == team->instance) {
    team->instance++;
    team->begun = 0;
    team->of_region = false;
  }
  team->members[rank] = (struct team_member){team->instance, 0};
  team->begun++;
  team->of_region |= step->region != TRACE_NONE;
  struct releases *out = finder->out;
  if (team->of_region && team->begun > out->largest_team)
    out->largest_team = team->begun;
}

static void begin_thread(struct release_finder *finder, uint32_t location, uint64_t time)
{
  uint32_t creator = finder->out->creators[location];
  finder->failed |= !thread_ids_begin(&finder->kernel_threads, finder->out->trace, location);
  if (time < finder->out->begin)
    finder->out->begin = time;
  if (creator == TRACE_NONE)
    return;
  struct crews *crews = &finder->out->crews;
  struct created_group fresh = {0};
  uint32_t before = crews->count;
  finder->failed |= !crews_add(crews, location, creator);
  if (crews->count > before)
    finder->failed |= !vector_push(&finder->groups, fresh);
  if (finder->failed)
    return;
  finder->threads[creator].crew = crews->of[location];
  group_begin(&finder->groups.items[crews->of[location]]);
  finder->groups.items[crews->of[location]].of_pool = crews->of_pool[location];
  count_demand(finder, creator);
}

static void stop_thread(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  uint32_t creator = finder->out->creators[location];
  finder->threads[location].stopped = step->time;
  finder->threads[location].now = (struct activity){.does = DOES_NOTHING, .place = TRACE_NONE};
  if (creator == TRACE_NONE || finder->out->crews.of[location] == TRACE_NONE)
    return;
  group_end(&finder->groups.items[finder->out->crews.of[location]]);
  count_demand(finder, creator);
}

static void take_creation(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  uint64_t process = finder->out->trace->locations[location].process;
  if (step->number)
    finder->failed |= !thread_ids_set(&finder->creators, process, step->number, location) ||
                      !thread_ids_set(&finder->creations, process, step->number, step->region);
}

static void take_created(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  uint64_t process = finder->out->trace->locations[location].process;
  if (step->number == 0)
    return;
  finder->failed |= !thread_ids_set(&finder->posix_threads, process, step->number, location);
  if (finder->out->creators[location] != TRACE_NONE)
    return;
  finder->out->creators[location] = thread_of(finder, &finder->creators, location, step->number);
  finder->out->created_at[location] = thread_of(finder, &finder->creations, location, step->number);
  begin_thread(finder, location, step->time);
}

static void take_action(struct release_finder *finder, uint32_t location, const struct account_step *step)
{
  struct releasing_thread *thread = &finder->threads[location];
  uint32_t other;
  switch (step->kind) {
  case ACT_BEGIN:
    begin_thread(finder, location, step->time);
    break;
  case ACT_WAIT:
    begin_wait(finder, location, step);
    if (step->waits == FOR_END && thread->waits.count > 0) {
      struct pending_wait *wait = &thread->waits.items[thread->waits.count - 1];
      other = named_thread(finder, location, step->number);
      wait->key = other == TRACE_NONE ? 0 : (uint64_t)other + 1;
    }
    break;
  case ACT_WAIT_END:
    end_pending(finder, location, step);
    break;
  case ACT_WAIT_LOCK:
    name_lock(finder, location, step);
    break;
  case ACT_RELEASE:
    release_lock(finder, location, step);
    break;
  case ACT_SIGNAL:
    signal_object(finder, location, step);
    break;
  case ACT_UNPARK:
    give_permit(finder, location, step);
    break;
  case ACT_START:
    other = thread_of(finder, &finder->java_threads, location, step->number);
    if (other != TRACE_NONE && finder->out->creators[other] == TRACE_NONE)
      finder->out->creators[other] = location;
    break;
  case ACT_CREATE:
    take_creation(finder, location, step);
    break;
  case ACT_CREATED:
    take_created(finder, location, step);
    break;
  case ACT_JOINS:
    other = thread_of(finder, &finder->posix_threads, location, step->number);
    if (other != TRACE_NONE && thread->waits.count > 0 && thread->waits.items[thread->waits.count - 1].waits == FOR_END)
      thread->waits.items[thread->waits.count - 1].key = (uint64_t)other + 1;
    break;
  case ACT_TEAM_BEGIN:
    begin_team(finder, location, step);
    break;
  case ACT_TASK_DONE:
    if (step->team != TRACE_NONE)
      finder->teams[step->team].last_task = step->time;
    break;
  case ACT_UNMOUNT:
    finder->failed |= step->waits != UNMOUNTED_OUTSIDE && !hash_put(&finder->unmounted, step->number, 0);
    break;
  case ACT_MOUNT:
    hash_remove(&finder->unmounted, step->number);
    break;
  case ACT_STOP:
    stop_thread(finder, location, step);
    break;
  default:
    break;
  }
}

static uint64_t demand_of_all(const struct release_finder *finder)
{
  uint64_t demand = finder->demand + finder->unmounted.count;
  return demand < finder->at_once_most ? demand : finder->at_once_most;
}

static void count_takers(struct release_finder *finder, uint32_t location)
{
  struct releasing_thread *thread = &finder->threads[location];
  uint32_t place = thread->now.does == DOES_WORK && !thread->takes ? thread->now.place : TRACE_NONE;
  if (place == TRACE_NONE || !trace_region_begins(&finder->out->trace->regions[place], NAME_POOL_TASK))
    return;
  thread->takes = true;
  finder->out->takers++;
}

/* Threads of MPI wait for messages, which are nobody's lack. */
static void begin_routine(struct release_finder *finder, uint32_t location, uint32_t place)
{
  const char *at = place == TRACE_NONE ? NULL : strstr(finder->out->trace->regions[place].name, NAME_AT);
  finder->threads[location].routine = place + 1;
  if (at && code_module_is_of_mpi(at + strlen(NAME_AT)))
    finder->out->services[location] = SERVICE_DAEMON;
}

bool release_finder_take(void *context, uint32_t location, const struct account_step *step)
{
  struct release_finder *finder = context;
  if (finder->now != 0 && step->time > finder->now && !finder->paused)
    finder->at_once[demand_of_all(finder)] += step->time - finder->now;
  finder->now = step->time;
  finder->out->end = step->time > finder->out->end ? step->time : finder->out->end;
  struct releasing_thread *thread = &finder->threads[location];
  if (step->now.does == DOES_WAIT && step->now.kernel == ON_OFF && thread->now.kernel != ON_OFF)
    thread->off_since = step->time;
  thread->now = step->now;
  if (step->now.does == DOES_START)
    begin_routine(finder, location, step->now.place);
  if (step->kind == ACT_MEASURED)
    finder->paused = step->number == 0;
  count_takers(finder, location);
  take_action(finder, location, step);
  count_demand(finder, location);
  return !finder->failed;
}

static bool has_line(const struct trace *trace, uint32_t region)
{
  return region != TRACE_NONE && trace->regions[region].line != 0;
}

/* When each process ended. NULL: no memory. */
static uint64_t *process_ends(const struct release_finder *finder)
{
  const struct trace *trace = finder->out->trace;
  uint64_t *ends = calloc((size_t)trace->process_count + 1, sizeof *ends);
  for (uint32_t i = 0; ends && i < trace->location_count; i++)
    if (trace->locations[i].process != TRACE_NONE && finder->threads[i].stopped > ends[trace->locations[i].process])
      ends[trace->locations[i].process] = finder->threads[i].stopped;
  return ends;
}

/* Names one thread of a process that was killed when all of its threads waited forever: one with a line. */
static void name_stuck(struct release_finder *finder)
{
  const struct trace *trace = finder->out->trace;
  for (uint32_t process = 0; process < trace->process_count; process++) {
    uint32_t stuck = TRACE_NONE;
    bool goes_on = !process_was_killed(trace, process);
    for (uint32_t i = 0; i < trace->location_count; i++) {
      const struct last_wait *wait = &finder->out->last_waits[i];
      if (trace->locations[i].process != process || !wait->lives)
        continue;
      goes_on |= !wait->forever;
      if (stuck == TRACE_NONE ||
          (has_line(trace, finder->threads[i].stuck_at) && !has_line(trace, finder->threads[stuck].stuck_at)))
        stuck = i;
    }
    if (stuck == TRACE_NONE || goes_on)
      continue;
    finder->out->stuck = stuck;
    finder->out->stuck_at = finder->threads[stuck].stuck_at;
  }
}

/* Finds threads that wait forever. False: no memory. */
static bool find_stuck(struct release_finder *finder)
{
  const struct trace *trace = finder->out->trace;
  uint64_t *ends = process_ends(finder);
  finder->out->last_waits = calloc((size_t)trace->location_count + 1, sizeof *finder->out->last_waits);
  bool good = ends && finder->out->last_waits;
  for (uint32_t i = 0; good && i < trace->location_count; i++) {
    const struct releasing_thread *thread = &finder->threads[i];
    uint32_t process = trace->locations[i].process;
    bool lives = process != TRACE_NONE && thread->stopped != 0 &&
                 thread->stopped + trace->ticks_per_second / 1000 >= ends[process];
    finder->out->last_waits[i] =
        (struct last_wait){.lives = lives && finder->out->services[i] == NO_SERVICE,
                           .forever = lives && thread->stuck_until != 0 && thread->stuck_until == thread->stopped,
                           .by = thread->stuck_for};
  }
  free(ends);
  good = good && find_forever(trace, finder->out->last_waits);
  if (good)
    name_stuck(finder);
  return good;
}

/* Processes may be bound to processors of their own, as ranks are. */
static uint32_t count_processors(const struct trace *trace)
{
  cpu_set_t all, of;
  uint32_t most = 0;
  CPU_ZERO(&all);
  for (uint32_t i = 0; i < trace->location_count; i++)
    if (trace_bound_to(trace, i, &of))
      CPU_OR(&all, &all, &of);
  for (uint32_t i = 0; i < trace->process_count; i++) {
    uint64_t processors = trace_processors(trace, i);
    most = processors > most && processors < UINT32_MAX ? (uint32_t)processors : most;
  }
  return most > 0 && (uint32_t)CPU_COUNT(&all) > most ? (uint32_t)CPU_COUNT(&all) : most;
}

static void find_services(struct releases *releases)
{
  const struct trace *trace = releases->trace;
  bool java = false;
  releases->switches = states_know_processors(trace);
  for (uint32_t i = 0; i < trace->location_count; i++)
    java |= trace_property(trace, TRACE_OF_LOCATION, i, LOCATION_JAVA_ID) != NULL;
  for (uint32_t i = 0; java && i < trace->location_count; i++) {
    const char *type = trace_property(trace, TRACE_OF_LOCATION, i, LOCATION_THREAD_TYPE);
    bool of_java = trace_property(trace, TRACE_OF_LOCATION, i, LOCATION_JAVA_ID) != NULL;
    releases->services[i] = !of_java || trace->locations[i].type == TRACE_THREAD_JVM ? SERVICE_OF_JVM
                            : type && strcmp(type, VALUE_THREAD_JAVA_DAEMON) == 0    ? SERVICE_DAEMON
                                                                                     : NO_SERVICE;
  }
  releases->processors = count_processors(trace);
}

/* The most threads with something to do at once, for 1 % of the time at least. */
static uint32_t most_at_once(const struct release_finder *finder)
{
  uint64_t limit = (finder->out->end - finder->out->begin) / 100, sum = 0;
  for (uint32_t n = finder->at_once_most; n > 0; n--) {
    sum += finder->at_once[n];
    if (sum > 0 && sum >= limit)
      return n;
  }
  return 1;
}

void release_finder_free(struct release_finder *finder)
{
  if (!finder)
    return;
  for (uint32_t i = 0; finder->threads && i < finder->out->trace->location_count; i++) {
    vector_free(&finder->threads[i].waits);
    free(finder->threads[i].block);
  }
  for (uint32_t i = 0; finder->teams && i < finder->out->trace->team_count; i++)
    free(finder->teams[i].members);
  free(finder->threads);
  free(finder->teams);
  free(finder->at_once);
  free(finder->packed);
  slots_free(&finder->objects);
  hash_free(&finder->locks);
  hash_free(&finder->unmounted);
  vector_free(&finder->released);
  hash_free(&finder->java_threads);
  hash_free(&finder->kernel_threads);
  hash_free(&finder->posix_threads);
  hash_free(&finder->creators);
  hash_free(&finder->creations);
  vector_free(&finder->groups);
  free(finder);
}

static bool releases_init(struct releases *releases, const struct trace *trace)
{
  size_t locations = (size_t)trace->location_count + 1;
  *releases = (struct releases){.trace = trace, .begin = UINT64_MAX, .stuck = TRACE_NONE};
  releases->meanings = region_meanings(trace);
  releases->creators = malloc(locations * sizeof *releases->creators);
  releases->created_at = malloc(locations * sizeof *releases->created_at);
  bool crews = crews_init(&releases->crews, trace);
  releases->services = calloc(locations, 1);
  releases->blocks = calloc(locations, sizeof *releases->blocks);
  if (!crews || !releases->meanings || !releases->creators || !releases->created_at || !releases->services ||
      !releases->blocks)
    return false;
  memset(releases->creators, 0xff, locations * sizeof *releases->creators);
  memset(releases->created_at, 0xff, locations * sizeof *releases->created_at);
  find_services(releases);
  return true;
}

struct release_finder *release_finder_create(struct releases *releases, const struct trace *trace)
{
  size_t locations = (size_t)trace->location_count + 1;
  struct release_finder *finder = calloc(1, sizeof *finder);
  if (!finder || !releases_init(releases, trace)) {
    free(finder);
    return NULL;
  }
  *finder = (struct release_finder){.out = releases, .objects.size = sizeof(struct object)};
  finder->threads = calloc(locations, sizeof *finder->threads);
  finder->teams = calloc((size_t)trace->team_count + 1, sizeof *finder->teams);
  finder->at_once_most =
      trace->location_count + (releases->processors < PROCESSORS_MOST ? releases->processors : PROCESSORS_MOST);
  finder->at_once = calloc((size_t)finder->at_once_most + 1, sizeof *finder->at_once);
  for (uint32_t i = 0; finder->threads && i < trace->location_count; i++) {
    finder->threads[i].permit = no_action;
    finder->threads[i].crew = TRACE_NONE;
  }
  if (finder->threads && finder->teams && finder->at_once && thread_ids_of_java(&finder->java_threads, trace) &&
      thread_ids_of_kernel(&finder->kernel_threads, trace))
    return finder;
  release_finder_free(finder);
  return NULL;
}

static bool is_lone_taker(const struct release_finder *finder)
{
  for (uint32_t i = 0; i < finder->out->trace->location_count; i++)
    if (finder->out->crews.of_pool[i] && !finder->threads[i].takes)
      return false;
  return finder->out->takers == 1;
}

bool release_finder_finish(struct release_finder *finder, struct error *error)
{
  bool good = !finder->failed;
  for (uint32_t i = 0; good && i < finder->out->trace->location_count; i++)
    good = write_block(finder, i);
  if (good) {
    finder->out->most = most_at_once(finder);
    finder->out->lone_taker = is_lone_taker(finder);
  }
  good = good && find_stuck(finder);
  if (!good)
    release_finder_explain(finder, error);
  return good;
}

void release_finder_explain(const struct release_finder *finder, struct error *error)
{
  if (*finder->error.message)
    *error = finder->error;
}

void releases_free(struct releases *releases)
{
  for (uint32_t i = 0; releases->blocks && i < releases->trace->location_count; i++)
    vector_free(&releases->blocks[i].list);
  free(releases->blocks);
  running_code_close(releases->code);
  free(releases->meanings);
  free(releases->creators);
  free(releases->created_at);
  crews_free(&releases->crews);
  free(releases->services);
  free(releases->last_waits);
  spool_destroy(releases->spool);
  *releases = (struct releases){0};
}

struct release_reader {
  const struct releases *releases;
  const struct release_block_list *blocks;
  size_t block;
  struct wait_record *records;
  uint32_t at, count;
  VECTOR(struct wait_record) stash;
  struct hash stashed; /* ordinal -> index */
};

struct release_reader *release_reader_open(const struct releases *releases, uint32_t location)
{
  struct release_reader *reader = calloc(1, sizeof *reader);
  if (reader) {
    reader->releases = releases;
    reader->blocks = &releases->blocks[location];
  }
  return reader;
}

void release_reader_close(struct release_reader *reader)
{
  if (!reader)
    return;
  free(reader->records);
  vector_free(&reader->stash);
  hash_free(&reader->stashed);
  free(reader);
}

static bool next_record(struct release_reader *reader, struct wait_record *record)
{
  if (reader->at == reader->count) {
    if (reader->block == reader->blocks->list.count)
      return false;
    struct release_block block = reader->blocks->list.items[reader->block++];
    struct wait_record *records = reallocarray(reader->records, block.count, sizeof *records);
    if (!records)
      return false;
    reader->records = records;
    reader->at = reader->count = 0;
    uint8_t *packed = malloc(block.size);
    bool good = packed && spool_read(reader->releases->spool, block.offset, packed, block.size);
    if (good)
      wait_records_unpack(packed, records, block.count);
    free(packed);
    if (!good)
      return false;
    reader->count = block.count;
  }
  *record = reader->records[reader->at++];
  return true;
}

bool release_reader_take(struct release_reader *reader, uint64_t ordinal, struct wait_record *record)
{
  uint64_t *index = hash_find(&reader->stashed, ordinal);
  if (index) {
    *record = reader->stash.items[*index];
    hash_remove(&reader->stashed, ordinal);
    if (reader->stashed.count == 0)
      reader->stash.count = 0;
    return true;
  }
  while (reader->stash.count < STASH_MOST && next_record(reader, record)) {
    if (record->ordinal == ordinal)
      return true;
    if (record->ordinal < ordinal)
      continue;
    if (!hash_add(&reader->stashed, record->ordinal, reader->stash.count) || !vector_push(&reader->stash, *record))
      return false;
  }
  return false;
}
