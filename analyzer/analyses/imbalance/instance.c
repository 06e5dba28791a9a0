#include "analyzer/analyses/imbalance/instance.h"

#include "analyzer/trace/restriction.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The three numbers of a pair do not fit into a key: pairs with the same hash form a list. */
struct pair {
  struct imbalance_wait wait;
  size_t next; /* place in the list, counted from 1; 0: the last one */
};

struct wait_pairs {
  VECTOR(struct pair) list;
  struct hash places; /* index of the hash's first pair, counted from 1 */
};

struct wait_pairs *wait_pairs_create(void)
{
  return calloc(1, sizeof(struct wait_pairs));
}

void wait_pairs_destroy(struct wait_pairs *pairs)
{
  if (!pairs)
    return;
  vector_free(&pairs->list);
  hash_free(&pairs->places);
  free(pairs);
}

/* The pair, perhaps a new one. NULL: out of memory. */
static struct imbalance_wait *wait_pairs_find(struct wait_pairs *pairs, uint32_t region, uint32_t waiter, uint32_t last)
{
  uint64_t key = hash_mix((uint64_t)region << 32 | waiter) ^ last;
  uint64_t *first = hash_find(&pairs->places, key);
  for (size_t at = first ? *first : 0; at > 0; at = pairs->list.items[at - 1].next) {
    struct imbalance_wait *wait = &pairs->list.items[at - 1].wait;
    if (wait->region == region && wait->waiter == waiter && wait->last == last)
      return wait;
  }
  struct pair pair = {{.region = region, .waiter = waiter, .last = last}, first ? *first : 0};
  if (!vector_push(&pairs->list, pair))
    return NULL;
  if (first)
    *first = pairs->list.count;
  else if (!hash_add(&pairs->places, key, pairs->list.count))
    return NULL;
  return &pairs->list.items[pairs->list.count - 1].wait;
}

bool wait_pairs_add(struct wait_pairs *pairs, uint32_t region, uint32_t waiter, uint32_t last, uint64_t ticks)
{
  struct imbalance_wait *wait = wait_pairs_find(pairs, region, waiter, last);
  if (!wait)
    return false;
  wait->count++;
  wait->ticks += ticks;
  return true;
}

static int compare(const void *a, const void *b)
{
  const struct imbalance_wait *left = a, *right = b;
  if (left->region != right->region)
    return left->region < right->region ? -1 : 1;
  if (left->waiter != right->waiter)
    return left->waiter < right->waiter ? -1 : 1;
  return (left->last > right->last) - (left->last < right->last);
}

/* By region, waiter and last. */
static void sort(struct imbalance *imbalance)
{
  if (imbalance->waits.count > 0)
    qsort(imbalance->waits.items, imbalance->waits.count, sizeof *imbalance->waits.items, compare);
}

bool wait_pairs_hand_over(const struct wait_pairs *pairs, struct imbalance *imbalance)
{
  for (size_t i = 0; i < pairs->list.count; i++)
    if (!vector_push(&imbalance->waits, pairs->list.items[i].wait))
      return false;
  sort(imbalance);
  return true;
}

bool wait_pairs_merge(struct imbalance *into, const struct imbalance *from)
{
  for (size_t i = 0; i < from->waits.count; i++)
    if (!vector_push(&into->waits, from->waits.items[i]))
      return false;
  sort(into);
  return true;
}

size_t instance_bytes(uint32_t size)
{
  return sizeof(struct instance) + size * sizeof(struct instance_member);
}

void instance_begin(struct instance *instance, uint32_t region, uint32_t size, uint32_t looked_at)
{
  memset(instance, 0, instance_bytes(size));
  instance->region = region;
  instance->parallel = TRACE_NONE;
  instance->size = size;
  instance->looked_at = looked_at;
  instance->enter = UINT64_MAX;
  instance->last = TRACE_NONE;
  instance->forker = TRACE_NONE;
}

/* One thread's sums for a construct. NULL: out of memory. */
static struct imbalance_thread *thread_sums(const struct instance_sums *sums, uint32_t region, uint32_t location)
{
  struct imbalance_construct *construct = &sums->imbalance->constructs[region];
  if (!construct->by_thread)
    construct->by_thread = calloc(sums->trace->location_count, sizeof *construct->by_thread);
  return construct->by_thread ? &construct->by_thread[location] : NULL;
}

void instance_add(struct instance *instance, uint32_t rank, const struct piece *piece)
{
  instance->arrived++;
  instance->busy += piece->busy;
  instance->overhead += piece->overhead;
  instance->wait += piece->wait;
  instance->chunks += piece->chunks;
  instance->iterations += piece->iterations;
  instance->waited += piece->waited;
  instance->locked += piece->locked;
  if (piece->locked > instance->locked_most)
    instance->locked_most = piece->locked;
  instance->tasks += piece->tasks;
  instance->dependent += piece->dependent;
  /* Threads that wait at one barrier all arrive before any of them leaves. */
  bool apart = instance->arrived > 1 && piece->has_barrier &&
               (piece->begin > instance->end || piece->end < instance->last_enter);
  instance->mismatched |= apart && (piece->after_gap || instance->after_gap);
  instance->after_gap |= piece->after_gap;
  instance->cut |= piece->cut;
  instance->partial |= piece->omitted_ticks > 0;
  if (piece->enter < instance->enter)
    instance->enter = piece->enter;
  if (piece->begin > instance->last_enter)
    instance->last_enter = piece->begin;
  if (piece->end > instance->end)
    instance->end = piece->end;
  if (instance->parallel == TRACE_NONE)
    instance->parallel = piece->parallel;
  struct instance_member *member = &instance->members[rank];
  member->joined = member->arrived = true;
  member->busy = piece->busy;
  member->wait = piece->wait;
  member->chunks = piece->chunks;
  member->iterations = piece->iterations;
  member->not_measured = piece->not_measured;
  member->end = piece->end;
  member->cut = piece->cut;
  member->stopped = piece->stopped;
  if (piece->has_barrier && (instance->last == TRACE_NONE || piece->arrival > instance->last_arrival)) {
    instance->last = rank;
    instance->last_arrival = piece->arrival;
  }
}

/* Adds each member to the sums of its thread. False: out of memory. */
static bool instance_add_threads(const struct instance *instance, const struct instance_sums *sums,
                                 const struct trace_team *team)
{
  for (uint32_t rank = 0; rank < instance->size; rank++) {
    const struct instance_member *member = &instance->members[rank];
    if (!member->arrived)
      continue;
    struct imbalance_thread *thread = thread_sums(sums, instance->region, team->members[rank]);
    if (!thread)
      return false;
    thread->calls++;
    thread->busy += member->busy;
    thread->wait += member->wait;
    thread->chunks += member->chunks;
    thread->iterations += member->iterations;
  }
  return true;
}

static bool add_waits(const struct instance *instance, const struct instance_sums *sums, const struct trace_team *team)
{
  if (instance->last == TRACE_NONE)
    return true;
  uint32_t last = team->members[instance->last];
  struct imbalance_thread *thread = thread_sums(sums, instance->region, last);
  if (!thread)
    return false;
  thread->last++;
  thread->waited_for += instance->wait - instance->members[instance->last].wait;
  for (uint32_t rank = 0; sums->waits && rank < instance->size; rank++) {
    uint64_t wait = instance->members[rank].wait;
    if (rank != instance->last && wait > 0 &&
        !wait_pairs_add(sums->waits, instance->region, team->members[rank], last, wait))
      return false;
  }
  return true;
}

/* See to_win. */
static double lost_ticks(const struct instance *instance, double imbalance)
{
  double mean_wait = (double)instance->wait / instance->size;
  bool capped = instance->team && instance->last != TRACE_NONE && mean_wait < imbalance;
  return capped ? mean_wait : imbalance;
}

/* True if a member without a piece did nothing in the instance; if not, what it did is not recorded. */
static bool did_nothing(const struct instance *instance, const struct instance_sums *sums, uint32_t rank)
{
  if (sums->all_are_members || !instance->around)
    return sums->all_are_members;
  const struct instance_member *in_team = &instance->around->members[rank];
  return in_team->arrived && !in_team->cut;
}

/* The measured part of an instance. */
struct measured {
  uint64_t ticks;   /* of all members together; n * elapsed if measurement was always on */
  uint32_t members; /* that were measured */
  bool comparable;  /* the busy time of all members is known */
};

static uint64_t member_measured(const struct instance *instance, const struct instance_member *member)
{
  uint64_t elapsed = instance->end - instance->enter;
  uint64_t missing = member->not_measured + (member->stopped ? instance->end - member->end : 0);
  return missing < elapsed ? elapsed - missing : 0;
}

static struct measured measure(const struct instance *instance, const struct instance_sums *sums)
{
  struct measured measured = {.comparable = !instance->mismatched};
  for (uint32_t rank = 0; rank < instance->size; rank++) {
    const struct instance_member *member = &instance->members[rank];
    if (!member->arrived && !did_nothing(instance, sums, rank)) {
      measured.comparable = false;
      continue;
    }
    uint64_t ticks = member->arrived ? member_measured(instance, member) : instance->end - instance->enter;
    measured.ticks += ticks;
    measured.members++;
    measured.comparable &= ticks > 0 || !instance->cut;
  }
  return measured;
}

/* Busy times of the members. In an instance that was measured in part, each is scaled from the member's measured time
 * to the mean measured time. */
struct balance {
  double max, min, mean;
  double imbalance, scaled; /* max - mean; the same times n / (n - 1) */
};

static struct balance weigh(const struct instance *instance, const struct measured *measured)
{
  struct balance balance = {.min = INFINITY, .mean = 0};
  double mean_measured = (double)measured->ticks / instance->size;
  for (uint32_t rank = 0; rank < instance->size; rank++) {
    const struct instance_member *member = &instance->members[rank];
    double busy = (double)member->busy;
    if (instance->cut && member->arrived)
      busy *= mean_measured / (double)member_measured(instance, member);
    balance.max = fmax(balance.max, busy);
    balance.min = fmin(balance.min, busy);
    balance.mean += busy;
  }
  double n = instance->size;
  balance.mean /= n;
  balance.imbalance = balance.max - balance.mean;
  balance.scaled = n > 1 ? balance.imbalance * n / (n - 1) : 0;
  return balance;
}

/* Causes of loss, each measured by itself; ticks. */
struct causes {
  double uneven, late, overhead;
};

/* Adds as much of `wanted` as is left, and returns this amount. */
static double take(struct fine_total *part, double wanted, double *left)
{
  double taken = fmin(fmax(wanted, 0), *left);
  *left -= taken;
  fine_total_add(part, taken);
  return taken;
}

/* Shares out elapsed - mean busy of an instance among struct imbalance_parts. Returns the part that has a cause. */
static double instance_add_parts(struct imbalance_construct *construct, const struct instance *instance,
                                 const struct causes *seen, double left)
{
  double all = left, n = instance->size;
  struct imbalance_parts *parts = &construct->parts;
  take(&parts->uneven, seen->uneven, &left);
  take(&parts->late, seen->late, &left);
  take(&parts->overhead, seen->overhead, &left);
  if (!instance->team && !instance->cut && instance->arrived == instance->size) {
    double mean_locked = (double)instance->locked / n, mean_waited = (double)instance->waited / n;
    double locked = take(&parts->locked, (double)instance->locked_most, &left);
    take(&parts->starved, mean_waited - seen->uneven - fmax(0, locked - mean_locked), &left);
    construct->locked += instance->locked;
  }
  return all - left;
}

/* Returns the loss of the instance, in ticks. */
static double add_balance(struct imbalance_construct *construct, const struct instance *instance,
                          const struct measured *measured, const struct balance *balance)
{
  double n = instance->size, elapsed = (double)measured->ticks / n;
  double lost = lost_ticks(instance, balance->imbalance);
  uint64_t late = instance->team ? 0 : instance->last_enter - instance->enter;
  construct->busy_max += (uint64_t)llround(balance->max);
  construct->busy_min += (uint64_t)llround(balance->min);
  fine_total_add(&construct->busy_mean, balance->mean);
  fine_total_add(&construct->imbalance, balance->imbalance);
  fine_total_add(&construct->imbalance_scaled, balance->scaled);
  fine_total_add(&construct->lost, lost);
  construct->late += late;
  double to_win = lost + (double)late + (double)instance->overhead / n;
  to_win = fmin(to_win, fmax(0, elapsed - balance->mean));
  fine_total_add(&construct->to_win, to_win);
  fine_total_add(&construct->lost_capacity, to_win * n);
  struct causes seen = {lost, (double)late, (double)instance->overhead / n};
  return instance_add_parts(construct, instance, &seen, fmax(0, elapsed - balance->mean));
}

/* False: out of memory. */
static bool add_course(struct imbalance_construct *construct, const struct instance *instance,
                       const struct instance_sums *sums, const struct balance *balance)
{
  const struct trace *trace = sums->trace;
  uint64_t from = trace_time_from(trace, trace->first_tick);
  uint64_t to = trace_time_to(trace, trace->first_tick + trace->length);
  struct course_call call = {.begin = instance->enter,
                             .elapsed = instance->end - instance->enter,
                             .imbalance = (uint64_t)llround(balance->imbalance),
                             .busy_max = (uint64_t)llround(balance->max),
                             .scaled = balance->scaled};
  return course_add(&construct->course, &call, course_part(instance->enter, from, to));
}

/* A member that has not arrived may still come as long as the team's region has not ended within the restriction. */
static bool instance_is_whole(const struct instance *instance, const struct trace *trace)
{
  const struct instance *around = instance->around;
  return trace_time_is_whole(trace, instance->enter, instance->end) && instance->looked_at == instance->size &&
         (instance->arrived == instance->size || !around || trace_time_is_inside(trace, around->end));
}

bool instance_finish(const struct instance *instance, const struct instance_sums *sums, const struct trace_team *team)
{
  if (instance->region == TRACE_NONE || instance->arrived == 0)
    return true;
  if (!instance_is_whole(instance, sums->trace)) {
    sums->imbalance->excluded += trace_time_overlaps(sums->trace, instance->enter, instance->end);
    return true;
  }
  if (!instance_add_threads(instance, sums, team))
    return false;
  struct imbalance_construct *construct = &sums->imbalance->constructs[instance->region];
  struct measured measured = measure(instance, sums);
  construct->calls++;
  construct->partial += instance->partial;
  construct->incomplete += !measured.comparable || instance->cut || instance->arrived < instance->size;
  if (instance->size > construct->threads)
    construct->threads = instance->size;
  construct_ended(construct, instance->end, instance->parallel);
  construct->busy += instance->busy;
  fine_total_add(&construct->overhead, (double)instance->overhead / measured.members);
  construct->wait += instance->wait;
  construct->chunks += instance->chunks;
  construct->iterations += instance->iterations;
  construct->tasks += instance->tasks;
  construct->dependent += instance->dependent;
  if (!instance->mismatched) {
    construct->elapsed += measured.ticks / measured.members;
    construct->capacity += measured.ticks;
  }
  if (!measured.comparable)
    return true;
  struct balance balance = weigh(instance, &measured);
  double loss = add_balance(construct, instance, &measured, &balance);
  if (sums->course && !add_course(construct, instance, sums, &balance))
    return false;
  uint32_t forker = instance->team ? instance->around->forker : instance->forker;
  if (forker != TRACE_NONE) {
    struct imbalance_thread *thread = thread_sums(sums, instance->region, forker);
    if (!thread)
      return false;
    fine_total_add(&thread->lost_as_forker, loss);
  }
  return instance->cut || add_waits(instance, sums, team);
}
