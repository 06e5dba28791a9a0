#include "analyzer/imbalance/matcher.h"

#include "analyzer/imbalance/waits.h"

#include <stdlib.h>
#include <string.h>

/* One member's contribution to an instance. */
struct member {
  uint64_t wait;
  bool joined, has_barrier;
};

/* An execution of a region or construct by a team, as far as its members' pieces have come. */
struct instance {
  uint32_t region, parallel, occurrence;
  uint32_t size;    /* of the team */
  uint32_t arrived; /* members whose piece has come */
  uint64_t enter, last_enter, end;
  uint64_t busy, busy_max, busy_min, overhead, wait, chunks, iterations;
  uint64_t last_arrival;
  uint32_t last;              /* rank of the last arriver, TRACE_NONE: no barrier */
  struct team_instance *team; /* a construct's; NULL: it is a team's own region */
  struct instance *next_in_bucket;
  struct instance *next, **to_this; /* of the same team instance */
  struct member members[];
};

/* A team at work: the region itself, and the constructs in it that are not complete yet. */
struct team_instance {
  const struct trace_team *team;
  uint32_t index;
  uint32_t joined, inside; /* members that have begun, and have not ended */
  uint64_t first_end;      /* when the first member ended; UINT64_MAX: nobody has */
  struct instance *constructs;
  struct team_instance *older; /* of the same team */
  struct instance region;
};

struct stack { /* the teams a location is in */
  struct team_instance **items;
  size_t count, capacity;
};

struct matcher {
  const struct trace *trace;
  struct imbalance *imbalance;
  struct waits *waits;
  struct trace_team *processes;  /* the teams of an archive that has none: a process, and one of no process */
  struct team_instance **newest; /* unfinished instances of each team */
  uint32_t team_count;
  struct stack *stacks;      /* a location */
  struct instance **buckets; /* unfinished constructs by team instance, region, occurrence */
  size_t bucket_count, construct_count;
};

static bool make_process_teams(struct matcher *matcher)
{
  const struct trace *trace = matcher->trace;
  matcher->processes = calloc(trace->process_count + 1, sizeof *matcher->processes);
  if (!matcher->processes)
    return false;
  for (uint32_t i = 0; i <= trace->process_count; i++) {
    struct trace_team *team = &matcher->processes[i];
    team->members = malloc((trace->location_count + 1) * sizeof *team->members);
    if (!team->members)
      return false;
    for (uint32_t location = 0; location < trace->location_count; location++) {
      uint32_t process = trace->locations[location].process;
      if (i == (process == TRACE_NONE ? trace->process_count : process))
        team->members[team->size++] = location;
    }
  }
  return true;
}

struct matcher *matcher_create(const struct trace *trace, struct imbalance *imbalance, bool with_waits)
{
  struct matcher *matcher = calloc(1, sizeof *matcher);
  if (!matcher)
    return NULL;
  matcher->trace = trace;
  matcher->imbalance = imbalance;
  matcher->team_count = trace->team_count ? trace->team_count : trace->process_count + 1;
  matcher->newest = calloc(matcher->team_count, sizeof(struct team_instance *));
  matcher->stacks = calloc(trace->location_count + 1, sizeof *matcher->stacks);
  matcher->bucket_count = 1024;
  matcher->buckets = calloc(matcher->bucket_count, sizeof(struct instance *));
  bool good = matcher->newest && matcher->stacks && matcher->buckets;
  good = good && (trace->team_count > 0 || make_process_teams(matcher));
  good = good && (!with_waits || (matcher->waits = waits_create()));
  if (!good) {
    matcher_destroy(matcher);
    return NULL;
  }
  return matcher;
}

static void free_team_instance(struct team_instance *team)
{
  while (team->constructs) {
    struct instance *instance = team->constructs;
    team->constructs = instance->next;
    free(instance);
  }
  free(team);
}

void matcher_destroy(struct matcher *matcher)
{
  if (!matcher)
    return;
  for (uint32_t i = 0; matcher->newest && i < matcher->team_count; i++) {
    while (matcher->newest[i]) {
      struct team_instance *team = matcher->newest[i];
      matcher->newest[i] = team->older;
      free_team_instance(team);
    }
  }
  for (uint32_t i = 0; matcher->stacks && i < matcher->trace->location_count; i++)
    free(matcher->stacks[i].items);
  for (uint32_t i = 0; matcher->processes && i <= matcher->trace->process_count; i++)
    free(matcher->processes[i].members);
  free(matcher->processes);
  free(matcher->newest);
  free(matcher->stacks);
  free(matcher->buckets);
  waits_destroy(matcher->waits);
  free(matcher);
}

static void begin_instance(struct instance *instance, uint32_t region, uint32_t size)
{
  instance->region = region;
  instance->parallel = TRACE_NONE;
  instance->size = size;
  instance->enter = UINT64_MAX;
  instance->busy_min = UINT64_MAX;
  instance->last = TRACE_NONE;
}

/* One thread's sums for a construct; NULL: no memory. */
static struct imbalance_thread *thread_sums(struct matcher *matcher, uint32_t region, uint32_t location)
{
  struct imbalance_construct *construct = &matcher->imbalance->constructs[region];
  if (!construct->by_thread)
    construct->by_thread = calloc(matcher->trace->location_count, sizeof *construct->by_thread);
  return construct->by_thread ? &construct->by_thread[location] : NULL;
}

static bool add_piece(struct matcher *matcher, struct instance *instance, uint32_t rank, uint32_t location,
                      const struct piece *piece)
{
  struct member *member = &instance->members[rank];
  instance->arrived++;
  instance->busy += piece->busy;
  instance->overhead += piece->overhead;
  instance->wait += piece->wait;
  instance->chunks += piece->chunks;
  instance->iterations += piece->iterations;
  if (piece->busy > instance->busy_max)
    instance->busy_max = piece->busy;
  if (piece->busy < instance->busy_min)
    instance->busy_min = piece->busy;
  if (piece->enter < instance->enter)
    instance->enter = piece->enter;
  if (piece->begin > instance->last_enter)
    instance->last_enter = piece->begin;
  if (piece->end > instance->end)
    instance->end = piece->end;
  if (instance->parallel == TRACE_NONE)
    instance->parallel = piece->parallel;
  member->joined = true;
  member->wait = piece->wait;
  member->has_barrier = piece->has_barrier;
  if (piece->has_barrier && (instance->last == TRACE_NONE || piece->arrival > instance->last_arrival)) {
    instance->last = rank;
    instance->last_arrival = piece->arrival;
  }
  struct imbalance_thread *thread = thread_sums(matcher, piece->region, location);
  if (!thread)
    return false;
  thread->calls++;
  thread->busy += piece->busy;
  thread->wait += piece->wait;
  thread->chunks += piece->chunks;
  thread->iterations += piece->iterations;
  return true;
}

static bool add_waits(struct matcher *matcher, const struct instance *instance, const struct trace_team *team)
{
  if (instance->last == TRACE_NONE)
    return true;
  uint32_t last = team->members[instance->last];
  struct imbalance_thread *thread = thread_sums(matcher, instance->region, last);
  if (!thread)
    return false;
  thread->last++;
  thread->waited_for += instance->wait - instance->members[instance->last].wait;
  for (uint32_t rank = 0; matcher->waits && rank < instance->size; rank++) {
    uint64_t wait = instance->members[rank].wait;
    if (rank != instance->last && wait > 0 &&
        !waits_add(matcher->waits, instance->region, team->members[rank], last, wait))
      return false;
  }
  return true;
}

/* See imbalance_to_win(). */
static double lost_ticks(const struct instance *instance, double imbalance)
{
  double mean_wait = (double)instance->wait / instance->size;
  bool capped = instance->team && instance->last != TRACE_NONE && mean_wait < imbalance;
  return capped ? mean_wait : imbalance;
}

static bool add_instance(struct matcher *matcher, const struct instance *instance, const struct trace_team *team)
{
  if (instance->region == TRACE_NONE || instance->arrived == 0)
    return true;
  struct imbalance_construct *sums = &matcher->imbalance->constructs[instance->region];
  double n = instance->size;
  double mean = (double)instance->busy / n;
  double imbalance = (double)instance->busy_max - mean;
  uint64_t elapsed = instance->end - instance->enter;
  sums->calls++;
  sums->incomplete += instance->arrived < instance->size;
  if (instance->size > sums->threads)
    sums->threads = instance->size;
  if (sums->calls == 1)
    sums->parallel = instance->parallel;
  sums->elapsed += elapsed;
  sums->busy += instance->busy;
  sums->capacity += elapsed * instance->size;
  sums->busy_max += instance->busy_max;
  sums->busy_min += instance->arrived < instance->size ? 0 : instance->busy_min;
  sums->busy_mean += mean;
  sums->imbalance += imbalance;
  sums->imbalance_scaled += n > 1 ? imbalance * n / (n - 1) : 0;
  double lost = lost_ticks(instance, imbalance);
  uint64_t late = instance->team ? 0 : instance->last_enter - instance->enter;
  sums->lost += lost;
  sums->lost_capacity += (lost + (double)late) * n + (double)instance->overhead;
  sums->overhead += (double)instance->overhead / n;
  sums->late += late;
  sums->wait += instance->wait;
  sums->chunks += instance->chunks;
  sums->iterations += instance->iterations;
  return add_waits(matcher, instance, team);
}

static size_t bucket_of(const struct matcher *matcher, const struct team_instance *team, uint32_t region,
                        uint32_t occurrence)
{
  uint64_t key = ((uint64_t)(uintptr_t)team >> 4) * 0x9e3779b97f4a7c15ull + region;
  key = (key ^ occurrence) * 0xff51afd7ed558ccdull;
  return (size_t)(key >> 32) & (matcher->bucket_count - 1);
}

/* More buckets, when there are many unfinished constructs. Without memory the old ones do, only slower. */
static void grow_buckets(struct matcher *matcher)
{
  size_t old_count = matcher->bucket_count;
  struct instance **old = matcher->buckets;
  struct instance **buckets = calloc(2 * old_count, sizeof(struct instance *));
  if (!buckets)
    return;
  matcher->buckets = buckets;
  matcher->bucket_count = 2 * old_count;
  for (size_t i = 0; i < old_count; i++) {
    while (old[i]) {
      struct instance *instance = old[i];
      old[i] = instance->next_in_bucket;
      size_t at = bucket_of(matcher, instance->team, instance->region, instance->occurrence);
      instance->next_in_bucket = buckets[at];
      buckets[at] = instance;
    }
  }
  free(old);
}

static struct instance *find_construct(struct matcher *matcher, struct team_instance *team, const struct piece *piece)
{
  size_t at = bucket_of(matcher, team, piece->region, piece->occurrence);
  for (struct instance *instance = matcher->buckets[at]; instance; instance = instance->next_in_bucket) {
    if (instance->team == team && instance->region == piece->region && instance->occurrence == piece->occurrence)
      return instance;
  }
  uint32_t size = team->team->size;
  struct instance *instance = calloc(1, sizeof *instance + size * sizeof instance->members[0]);
  if (!instance)
    return NULL;
  if (matcher->construct_count++ >= matcher->bucket_count) {
    grow_buckets(matcher);
    at = bucket_of(matcher, team, piece->region, piece->occurrence);
  }
  begin_instance(instance, piece->region, size);
  instance->occurrence = piece->occurrence;
  instance->team = team;
  instance->next_in_bucket = matcher->buckets[at];
  matcher->buckets[at] = instance;
  instance->next = team->constructs;
  instance->to_this = &team->constructs;
  if (instance->next)
    instance->next->to_this = &instance->next;
  team->constructs = instance;
  return instance;
}

static bool finish_construct(struct matcher *matcher, struct instance *instance)
{
  struct team_instance *team = instance->team;
  size_t at = bucket_of(matcher, team, instance->region, instance->occurrence);
  struct instance **link = &matcher->buckets[at];
  while (*link != instance)
    link = &(*link)->next_in_bucket;
  *link = instance->next_in_bucket;
  *instance->to_this = instance->next;
  if (instance->next)
    instance->next->to_this = instance->to_this;
  matcher->construct_count--;
  bool good = add_instance(matcher, instance, team->team);
  free(instance);
  return good;
}

/* Takes the instance out of its team's list and adds it up, with what is unfinished in it. */
static bool finish_team(struct matcher *matcher, struct team_instance *team)
{
  bool good = true;
  while (team->constructs)
    good &= finish_construct(matcher, team->constructs);
  good &= add_instance(matcher, &team->region, team->team);
  struct team_instance **link = &matcher->newest[team->index];
  while (*link != team)
    link = &(*link)->older;
  *link = team->older;
  free(team);
  return good;
}

/* Adds up the instances of a team that nobody can join any more and nobody is in: some member's events are missing. */
static bool finish_abandoned(struct matcher *matcher, uint32_t index, uint64_t time)
{
  bool good = true;
  for (struct team_instance *team = matcher->newest[index]; team;) {
    struct team_instance *older = team->older;
    if (team->inside == 0 && team->first_end < time)
      good &= finish_team(matcher, team);
    team = older;
  }
  return good;
}

static struct team_instance *begin_team_instance(struct matcher *matcher, uint32_t index)
{
  const struct trace_team *team = matcher->processes ? &matcher->processes[index] : &matcher->trace->teams[index];
  struct team_instance *instance = calloc(1, sizeof *instance + team->size * sizeof instance->region.members[0]);
  if (!instance)
    return NULL;
  instance->team = team;
  instance->index = index;
  instance->first_end = UINT64_MAX;
  begin_instance(&instance->region, TRACE_NONE, team->size);
  instance->older = matcher->newest[index];
  matcher->newest[index] = instance;
  return instance;
}

static bool push_team(struct stack *stack, struct team_instance *team)
{
  if (stack->count == stack->capacity) {
    size_t capacity = stack->capacity ? 2 * stack->capacity : 4;
    struct team_instance **items = reallocarray(stack->items, capacity, sizeof *items);
    if (!items)
      return false;
    stack->items = items;
    stack->capacity = capacity;
  }
  stack->items[stack->count++] = team;
  return true;
}

/* A thread that is not a member of the team it begins (a damaged archive) is in no instance: NULL on the stack. */
static bool join_team(struct matcher *matcher, uint32_t location, const struct piece *piece)
{
  const struct trace_team *team =
      matcher->processes ? &matcher->processes[piece->team] : &matcher->trace->teams[piece->team];
  uint32_t rank = trace_team_rank(team, location);
  if (rank == TRACE_NONE)
    return push_team(&matcher->stacks[location], NULL);
  if (!finish_abandoned(matcher, piece->team, piece->time))
    return false;
  struct team_instance *found = NULL;
  for (struct team_instance *instance = matcher->newest[piece->team]; instance; instance = instance->older) {
    if (!instance->region.members[rank].joined && instance->first_end >= piece->time)
      found = instance;
  }
  if (!found && !(found = begin_team_instance(matcher, piece->team)))
    return false;
  found->region.members[rank].joined = true;
  found->joined++;
  found->inside++;
  return push_team(&matcher->stacks[location], found);
}

static bool leave_team(struct matcher *matcher, uint32_t location, const struct piece *piece)
{
  struct stack *stack = &matcher->stacks[location];
  struct team_instance *team = stack->count ? stack->items[--stack->count] : NULL;
  if (!team)
    return true;
  if (team->region.region == TRACE_NONE)
    team->region.region = piece->region;
  struct piece of_region = *piece;
  of_region.region = team->region.region;
  of_region.parallel = TRACE_NONE;
  if (of_region.region != TRACE_NONE &&
      !add_piece(matcher, &team->region, trace_team_rank(team->team, location), location, &of_region))
    return false;
  if (piece->end < team->first_end)
    team->first_end = piece->end;
  team->inside--;
  if (team->joined < team->team->size || team->inside > 0)
    return true;
  return finish_team(matcher, team);
}

bool matcher_take(struct matcher *matcher, uint32_t location, const struct piece *piece)
{
  if (piece->kind == PIECE_TEAM_BEGIN)
    return join_team(matcher, location, piece);
  if (piece->kind == PIECE_TEAM_END)
    return leave_team(matcher, location, piece);
  struct stack *stack = &matcher->stacks[location];
  struct team_instance *team = stack->count ? stack->items[stack->count - 1] : NULL;
  if (!team)
    return true;
  struct instance *instance = find_construct(matcher, team, piece);
  if (!instance || !add_piece(matcher, instance, trace_team_rank(team->team, location), location, piece))
    return false;
  return instance->arrived < instance->size || finish_construct(matcher, instance);
}

bool matcher_finish(struct matcher *matcher)
{
  bool good = true;
  for (uint32_t i = 0; i < matcher->team_count; i++) {
    while (matcher->newest[i])
      good &= finish_team(matcher, matcher->newest[i]);
  }
  return good && (!matcher->waits || waits_hand_over(matcher->waits, matcher->imbalance));
}
