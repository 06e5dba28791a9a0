#include "analyzer/imbalance/matcher.h"

#include "analyzer/imbalance/instance.h"
#include "analyzer/trace/restriction.h"

#include <stdlib.h>

/* A team at work: the region itself, and the constructs in it that are not complete yet. */
struct team_instance {
  struct team *team;
  uint32_t joined, inside; /* members that have begun, and have not ended */
  uint64_t first_end;      /* when the first member ended; UINT64_MAX: nobody has */
  struct instance *constructs;
  struct team_instance *older; /* of the same team */
  struct instance region;      /* the last member: its size depends on that of the team */
};

/* A team of the trace. Memory for instances is used again by the same team, because it is of the same size. */
struct team {
  const struct trace_team *members;
  uint32_t looked_at;           /* of these */
  struct team_instance *newest; /* unfinished ones */
  struct team_instance *spare_instances;
  struct instance *spare_constructs;
};

/* A team that a location is in. */
struct membership {
  struct team_instance *instance; /* NULL: the location is no member, the archive is damaged */
  uint32_t rank;
};

struct stack { /* all teams that a location is in, the innermost last */
  struct membership *items;
  size_t count, capacity;
};

struct matcher {
  const struct trace *trace;
  struct instance_sums sums;
  struct trace_team *processes; /* the teams of an archive that has none: a process, and one of no process */
  struct team *teams;
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
      bool belongs = i == (process == TRACE_NONE ? trace->process_count : process);
      if (belongs && !trace->locations[location].left_out)
        team->members[team->size++] = location;
    }
  }
  return true;
}

static bool prepare(struct matcher *matcher)
{
  const struct trace *trace = matcher->trace;
  if (trace->team_count == 0 && !make_process_teams(matcher))
    return false;
  matcher->team_count = trace->team_count ? trace->team_count : trace->process_count + 1;
  matcher->teams = calloc(matcher->team_count, sizeof *matcher->teams);
  matcher->stacks = calloc(trace->location_count + 1, sizeof *matcher->stacks);
  matcher->bucket_count = 1024;
  matcher->buckets = calloc(matcher->bucket_count, sizeof(struct instance *));
  for (uint32_t i = 0; matcher->teams && i < matcher->team_count; i++) {
    struct team *team = &matcher->teams[i];
    team->members = matcher->processes ? &matcher->processes[i] : &trace->teams[i];
    team->looked_at = trace_team_looked_at(trace, team->members);
  }
  return matcher->teams && matcher->stacks && matcher->buckets;
}

struct matcher *matcher_create(const struct trace *trace, struct imbalance *imbalance, bool with_waits)
{
  struct matcher *matcher = calloc(1, sizeof *matcher);
  if (!matcher)
    return NULL;
  matcher->trace = trace;
  matcher->sums =
      (struct instance_sums){.trace = trace, .imbalance = imbalance, .all_are_members = trace->team_count == 0};
  if (with_waits)
    matcher->sums.waits = waits_create();
  if ((with_waits && !matcher->sums.waits) || !prepare(matcher)) {
    matcher_destroy(matcher);
    return NULL;
  }
  return matcher;
}

static void free_constructs(struct instance *list)
{
  while (list) {
    struct instance *next = list->next;
    free(list);
    list = next;
  }
}

static void free_instances(struct team_instance *list)
{
  while (list) {
    struct team_instance *older = list->older;
    free_constructs(list->constructs);
    free(list);
    list = older;
  }
}

void matcher_destroy(struct matcher *matcher)
{
  if (!matcher)
    return;
  for (uint32_t i = 0; matcher->teams && i < matcher->team_count; i++) {
    free_instances(matcher->teams[i].newest);
    free_instances(matcher->teams[i].spare_instances);
    free_constructs(matcher->teams[i].spare_constructs);
  }
  for (uint32_t i = 0; matcher->stacks && i < matcher->trace->location_count; i++)
    free(matcher->stacks[i].items);
  for (uint32_t i = 0; matcher->processes && i <= matcher->trace->process_count; i++)
    free(matcher->processes[i].members);
  free(matcher->processes);
  free(matcher->teams);
  free(matcher->stacks);
  free(matcher->buckets);
  waits_destroy(matcher->sums.waits);
  free(matcher);
}

static struct instance **bucket_of(const struct matcher *matcher, const struct team_instance *team, uint32_t region,
                                   uint32_t occurrence)
{
  uint64_t key = ((uint64_t)(uintptr_t)team >> 4) * 0x9e3779b97f4a7c15ull + region;
  key = (key ^ occurrence) * 0xff51afd7ed558ccdull;
  return &matcher->buckets[(size_t)(key >> 32) & (matcher->bucket_count - 1)];
}

static void put_into_bucket(struct matcher *matcher, struct instance *instance)
{
  struct instance **bucket = bucket_of(matcher, instance->team, instance->region, instance->occurrence);
  instance->next_in_bucket = *bucket;
  *bucket = instance;
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
      put_into_bucket(matcher, instance);
    }
  }
  free(old);
}

static struct instance *begin_construct(struct matcher *matcher, struct team_instance *team, const struct piece *piece)
{
  struct instance *instance = team->team->spare_constructs;
  uint32_t size = team->team->members->size;
  if (instance)
    team->team->spare_constructs = instance->next;
  else if (!(instance = malloc(instance_bytes(size))))
    return NULL;
  instance_begin(instance, piece->region, size, team->team->looked_at);
  instance->occurrence = piece->occurrence;
  instance->team = team;
  instance->around = &team->region;
  if (matcher->construct_count++ >= matcher->bucket_count)
    grow_buckets(matcher);
  put_into_bucket(matcher, instance);
  instance->next = team->constructs;
  instance->to_this = &team->constructs;
  if (instance->next)
    instance->next->to_this = &instance->next;
  team->constructs = instance;
  return instance;
}

static struct instance *find_construct(const struct matcher *matcher, const struct team_instance *team,
                                       const struct piece *piece)
{
  struct instance *instance = *bucket_of(matcher, team, piece->region, piece->occurrence);
  while (instance &&
         !(instance->team == team && instance->region == piece->region && instance->occurrence == piece->occurrence))
    instance = instance->next_in_bucket;
  return instance;
}

static bool finish_construct(struct matcher *matcher, struct instance *instance)
{
  struct team *team = instance->team->team;
  struct instance **link = bucket_of(matcher, instance->team, instance->region, instance->occurrence);
  while (*link != instance)
    link = &(*link)->next_in_bucket;
  *link = instance->next_in_bucket;
  matcher->construct_count--;
  *instance->to_this = instance->next;
  if (instance->next)
    instance->next->to_this = instance->to_this;
  bool good = instance_finish(instance, &matcher->sums, team->members);
  instance->next = team->spare_constructs;
  team->spare_constructs = instance;
  return good;
}

static struct team_instance *begin_team(struct team *team)
{
  uint32_t size = team->members->size;
  struct team_instance *instance = team->spare_instances;
  if (instance)
    team->spare_instances = instance->older;
  else if (!(instance = malloc(offsetof(struct team_instance, region) + instance_bytes(size))))
    return NULL;
  instance->team = team;
  instance->joined = instance->inside = 0;
  instance->first_end = UINT64_MAX;
  instance->constructs = NULL;
  instance_begin(&instance->region, TRACE_NONE, size, team->looked_at);
  instance->older = team->newest;
  team->newest = instance;
  return instance;
}

/* Takes the instance out of its team's list and adds it up, with what is unfinished in it. */
static bool finish_team(struct matcher *matcher, struct team_instance *instance)
{
  struct team *team = instance->team;
  bool good = true;
  while (instance->constructs)
    good &= finish_construct(matcher, instance->constructs);
  good &= instance_finish(&instance->region, &matcher->sums, team->members);
  struct team_instance **link = &team->newest;
  while (*link != instance)
    link = &(*link)->older;
  *link = instance->older;
  instance->older = team->spare_instances;
  team->spare_instances = instance;
  return good;
}

/* Adds up the instances of a team that nobody can join any more and nobody is in: some member's events are missing. */
static bool finish_abandoned(struct matcher *matcher, const struct team *team, uint64_t time)
{
  bool good = true;
  for (struct team_instance *instance = team->newest; instance;) {
    struct team_instance *older = instance->older;
    if (instance->inside == 0 && instance->first_end < time)
      good &= finish_team(matcher, instance);
    instance = older;
  }
  return good;
}

static struct membership *push(struct stack *stack)
{
  if (stack->count == stack->capacity) {
    size_t capacity = stack->capacity ? 2 * stack->capacity : 4;
    struct membership *items = reallocarray(stack->items, capacity, sizeof *items);
    if (!items)
      return NULL;
    stack->items = items;
    stack->capacity = capacity;
  }
  return &stack->items[stack->count++];
}

/* The oldest instance that the member is not in yet and that nobody had left before it came; else a new one. */
static struct team_instance *find_instance(struct team *team, uint32_t rank, uint64_t time)
{
  struct team_instance *found = NULL;
  for (struct team_instance *instance = team->newest; instance; instance = instance->older) {
    if (!instance->region.members[rank].joined && instance->first_end >= time)
      found = instance;
  }
  return found ? found : begin_team(team);
}

static bool join_team(struct matcher *matcher, uint32_t location, const struct piece *piece)
{
  struct team *team = &matcher->teams[piece->team];
  struct membership *membership = push(&matcher->stacks[location]);
  if (!membership)
    return false;
  *membership = (struct membership){NULL, trace_team_rank(team->members, location)};
  if (membership->rank == TRACE_NONE)
    return true;
  if (!finish_abandoned(matcher, team, piece->time))
    return false;
  struct team_instance *instance = find_instance(team, membership->rank, piece->time);
  if (!instance)
    return false;
  instance->region.members[membership->rank].joined = true;
  if (piece->forked || instance->region.forker == TRACE_NONE)
    instance->region.forker = location;
  instance->joined++;
  instance->inside++;
  membership->instance = instance;
  return true;
}

static bool leave_team(struct matcher *matcher, uint32_t location, const struct piece *piece)
{
  struct stack *stack = &matcher->stacks[location];
  if (stack->count == 0)
    return true;
  const struct membership *membership = &stack->items[--stack->count];
  struct team_instance *instance = membership->instance;
  if (!instance)
    return true;
  if (instance->region.region == TRACE_NONE)
    instance->region.region = piece->region;
  if (instance->region.region != TRACE_NONE)
    instance_add(&instance->region, membership->rank, piece);
  if (piece->end < instance->first_end)
    instance->first_end = piece->end;
  instance->inside--;
  if (instance->joined < instance->region.looked_at || instance->inside > 0)
    return true;
  return finish_team(matcher, instance);
}

static bool take_construct(struct matcher *matcher, uint32_t location, const struct piece *piece)
{
  const struct stack *stack = &matcher->stacks[location];
  const struct membership *membership = stack->count ? &stack->items[stack->count - 1] : NULL;
  if (!membership || !membership->instance)
    return true;
  struct instance *instance = find_construct(matcher, membership->instance, piece);
  if (!instance && !(instance = begin_construct(matcher, membership->instance, piece)))
    return false;
  instance_add(instance, membership->rank, piece);
  return instance->arrived < instance->looked_at || finish_construct(matcher, instance);
}

bool matcher_take(struct matcher *matcher, uint32_t location, const struct piece *piece)
{
  switch (piece->kind) {
  case PIECE_TEAM_BEGIN:
    return join_team(matcher, location, piece);
  case PIECE_CONSTRUCT:
    return take_construct(matcher, location, piece);
  default:
    return leave_team(matcher, location, piece);
  }
}

bool matcher_finish(struct matcher *matcher)
{
  bool good = true;
  for (uint32_t i = 0; i < matcher->team_count; i++) {
    while (matcher->teams[i].newest)
      good &= finish_team(matcher, matcher->teams[i].newest);
  }
  return good && (!matcher->sums.waits || waits_hand_over(matcher->sums.waits, matcher->sums.imbalance));
}
