#include "analyzer/analyses/imbalance/instance_matcher.h"

#include "analyzer/analyses/imbalance/instance.h"
#include "analyzer/analyses/imbalance/sampled.h"
#include "analyzer/trace/restriction.h"
#include "analyzer/trace/states/machine.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

/* One execution of a parallel region: the region itself, and its unfinished constructs. */
struct team_instance {
  struct team *team;
  uint32_t joined, inside; /* members that have begun, and have not ended */
  uint64_t first_end;      /* when the first member ended; UINT64_MAX: none has */
  struct instance *constructs;
  struct team_instance *older; /* of the same team */
  struct instance region;      /* the last member: its size depends on the team's size */
};

/* A team of the trace. Memory of instances is reused within a team, because there all have the same size. */
struct team {
  const struct trace_team *members;
  uint32_t looked_at;           /* of these */
  struct team_instance *newest; /* unfinished ones */
  struct team_instance *spare_instances;
  struct instance *spare_constructs;
};

/* A team that a location is in. */
struct membership {
  struct team_instance *instance; /* NULL: the location is no member: the archive is damaged */
  uint32_t rank;
};

struct instance_matcher {
  const struct trace *trace;
  struct instance_sums sums;
  struct sampled *sampled; /* NULL: all instances are recorded */
  struct trace_team
      *processes; /* the teams of an archive without teams: one a process, and one for locations without a process */
  struct team *teams;
  uint32_t team_count;
  VECTOR(struct membership) * stacks; /* a location: all teams that it is in, the innermost last */
  struct hash constructs;             /* unfinished ones by hash_of(); the value is the address of the first one */
};

static bool make_process_teams(struct instance_matcher *matcher)
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
      if (belongs && !trace->locations[location].excluded)
        team->members[team->size++] = location;
    }
  }
  return true;
}

static bool instance_matcher_prepare(struct instance_matcher *matcher)
{
  const struct trace *trace = matcher->trace;
  if (trace->team_count == 0 && !make_process_teams(matcher))
    return false;
  matcher->team_count = trace->team_count ? trace->team_count : trace->process_count + 1;
  matcher->teams = calloc(matcher->team_count, sizeof *matcher->teams);
  matcher->stacks = calloc(trace->location_count + 1, sizeof *matcher->stacks);
  for (uint32_t i = 0; matcher->teams && i < matcher->team_count; i++) {
    struct team *team = &matcher->teams[i];
    team->members = matcher->processes ? &matcher->processes[i] : &trace->teams[i];
    team->looked_at = trace_team_looked_at(trace, team->members);
  }
  return matcher->teams && matcher->stacks;
}

/* True if instances of constructs are omitted. */
static bool has_omitted(const struct trace *trace)
{
  const char *number = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_INSTANCES_SKIPPED);
  return number && strtoull(number, NULL, 10) > 0;
}

struct instance_matcher *instance_matcher_create(const struct trace *trace, struct imbalance *imbalance,
                                                 struct imbalance_options options)
{
  struct instance_matcher *matcher = calloc(1, sizeof *matcher);
  if (!matcher)
    return NULL;
  matcher->trace = trace;
  matcher->sums = (struct instance_sums){
      .trace = trace, .imbalance = imbalance, .course = options.course, .all_are_members = trace->team_count == 0};
  if (options.waits)
    matcher->sums.waits = wait_pairs_create();
  bool omitted = has_omitted(trace);
  if (omitted)
    matcher->sampled = sampled_create(imbalance);
  if ((options.waits && !matcher->sums.waits) || (omitted && !matcher->sampled) || !instance_matcher_prepare(matcher)) {
    instance_matcher_destroy(matcher);
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

void instance_matcher_destroy(struct instance_matcher *matcher)
{
  if (!matcher)
    return;
  for (uint32_t i = 0; matcher->teams && i < matcher->team_count; i++) {
    free_instances(matcher->teams[i].newest);
    free_instances(matcher->teams[i].spare_instances);
    free_constructs(matcher->teams[i].spare_constructs);
  }
  for (uint32_t i = 0; matcher->stacks && i < matcher->trace->location_count; i++)
    vector_free(&matcher->stacks[i]);
  for (uint32_t i = 0; matcher->processes && i <= matcher->trace->process_count; i++)
    free(matcher->processes[i].members);
  free(matcher->processes);
  free(matcher->teams);
  free(matcher->stacks);
  hash_free(&matcher->constructs);
  wait_pairs_destroy(matcher->sums.waits);
  sampled_destroy(matcher->sampled);
  free(matcher);
}

/* What an unfinished construct is found by. */
struct construct_id {
  const struct team_instance *team;
  uint32_t region, occurrence;
};

static struct construct_id id_of(const struct instance *instance)
{
  return (struct construct_id){instance->team, instance->region, instance->occurrence};
}

static uint64_t hash_of(const struct construct_id *id)
{
  return hash_mix((uint64_t)(uintptr_t)id->team) ^ ((uint64_t)id->region << 32 | id->occurrence);
}

static struct instance *find_construct(const struct instance_matcher *matcher, const struct construct_id *id)
{
  struct hash_link *link = hash_chain_first(&matcher->constructs, hash_of(id));
  for (; link; link = link->next) {
    struct instance *instance = (struct instance *)link;
    if (instance->team == id->team && instance->region == id->region && instance->occurrence == id->occurrence)
      return instance;
  }
  return NULL;
}

/* False: out of memory. */
static bool instance_matcher_add_construct(struct instance_matcher *matcher, struct instance *instance)
{
  struct construct_id id = id_of(instance);
  return hash_chain_add(&matcher->constructs, hash_of(&id), &instance->link);
}

static void remove_construct(struct instance_matcher *matcher, const struct instance *instance)
{
  struct construct_id id = id_of(instance);
  hash_chain_remove(&matcher->constructs, hash_of(&id), &instance->link);
}

static struct instance *begin_construct(struct instance_matcher *matcher, struct team_instance *team,
                                        const struct piece *piece)
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
  if (!instance_matcher_add_construct(matcher, instance)) {
    free(instance);
    return NULL;
  }
  instance->next = team->constructs;
  instance->to_this = &team->constructs;
  if (instance->next)
    instance->next->to_this = &instance->next;
  team->constructs = instance;
  return instance;
}

/* Adds up an instance, and its counts of instances that are not recorded. */
static bool add_up(struct instance_matcher *matcher, const struct instance *instance, const struct team *team)
{
  uint32_t leader = instance->team ? instance->around->forker : instance->forker;
  if (!matcher->sampled || instance->region == TRACE_NONE || leader == TRACE_NONE)
    return instance_finish(instance, &matcher->sums, team->members);
  const struct imbalance_construct *construct = &matcher->sums.imbalance->constructs[instance->region];
  struct imbalance_construct before = *construct;
  struct sampled_place place = {instance->region, leader};
  if (!instance_finish(instance, &matcher->sums, team->members))
    return false;
  bool known = construct->calls != before.calls && construct->incomplete == before.incomplete;
  struct figures figures = figures_since(construct, &before);
  return sampled_add(matcher->sampled, place, instance->gap, known ? &figures : NULL);
}

/* The thread that leads an instance knows how many before it were omitted. */
static void note_gap(const struct instance_matcher *matcher, struct instance *instance, uint32_t location,
                     uint32_t leader)
{
  if (matcher->sampled && location == leader)
    instance->gap = sampled_lead(matcher->sampled, (struct sampled_place){instance->region, leader});
}

static bool finish_construct(struct instance_matcher *matcher, struct instance *instance)
{
  struct team *team = instance->team->team;
  remove_construct(matcher, instance);
  *instance->to_this = instance->next;
  if (instance->next)
    instance->next->to_this = instance->to_this;
  bool good = add_up(matcher, instance, team);
  instance->next = team->spare_constructs;
  team->spare_constructs = instance;
  return good;
}

static struct team_instance *instance_matcher_begin_team(struct team *team)
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

/* Takes the instance out of its team's list and adds it up, with its unfinished constructs. */
static bool finish_team(struct instance_matcher *matcher, struct team_instance *instance)
{
  struct team *team = instance->team;
  bool good = true;
  while (instance->constructs)
    good &= finish_construct(matcher, instance->constructs);
  good &= add_up(matcher, &instance->region, team);
  struct team_instance **link = &team->newest;
  while (*link != instance)
    link = &(*link)->older;
  *link = instance->older;
  instance->older = team->spare_instances;
  team->spare_instances = instance;
  return good;
}

/* Adds up the instances of a team that no thread is in and none can join any more: events of some members are lost. */
static bool finish_abandoned(struct instance_matcher *matcher, const struct team *team, uint64_t time)
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

/* The innermost team that a location is in; NULL: it is in none. */
static struct membership *innermost(const struct instance_matcher *matcher, uint32_t location)
{
  size_t count = matcher->stacks[location].count;
  return count > 0 ? &matcher->stacks[location].items[count - 1] : NULL;
}

/* The oldest instance that the member is not in and that no member had left by then; if there is none, a new one. */
static struct team_instance *find_instance(struct team *team, uint32_t rank, uint64_t time)
{
  struct team_instance *found = NULL;
  for (struct team_instance *instance = team->newest; instance; instance = instance->older) {
    if (!instance->region.members[rank].joined && instance->first_end >= time)
      found = instance;
  }
  return found ? found : instance_matcher_begin_team(team);
}

static bool join_team(struct instance_matcher *matcher, uint32_t location, const struct piece *piece)
{
  struct team *team = &matcher->teams[piece->team];
  struct membership none = {NULL, trace_team_rank(team->members, location)};
  if (!vector_push(&matcher->stacks[location], none))
    return false;
  if (none.rank == TRACE_NONE)
    return true;
  struct membership *membership = innermost(matcher, location);
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

static bool leave_team(struct instance_matcher *matcher, uint32_t location, const struct piece *piece)
{
  const struct membership *membership = innermost(matcher, location);
  struct team_instance *instance = membership ? membership->instance : NULL;
  matcher->stacks[location].count -= membership != NULL;
  if (!instance)
    return true;
  if (instance->region.region == TRACE_NONE)
    instance->region.region = piece->region;
  if (instance->region.region != TRACE_NONE) {
    instance_add(&instance->region, membership->rank, piece);
    note_gap(matcher, &instance->region, location, instance->region.forker);
  }
  if (piece->end < instance->first_end)
    instance->first_end = piece->end;
  instance->inside--;
  if (instance->joined < instance->region.looked_at || instance->inside > 0)
    return true;
  return finish_team(matcher, instance);
}

static bool take_construct(struct instance_matcher *matcher, uint32_t location, const struct piece *piece)
{
  const struct membership *membership = innermost(matcher, location);
  if (!membership || !membership->instance)
    return true;
  struct construct_id id = {membership->instance, piece->region, piece->occurrence};
  struct instance *instance = find_construct(matcher, &id);
  if (!instance && !(instance = begin_construct(matcher, membership->instance, piece)))
    return false;
  instance_add(instance, membership->rank, piece);
  note_gap(matcher, instance, location, instance->around->forker);
  return instance->arrived < instance->looked_at || finish_construct(matcher, instance);
}

/* Constructs outside of teams are not looked at. */
static bool instance_matcher_take_omitted(const struct instance_matcher *matcher, uint32_t location,
                                          const struct piece *piece)
{
  bool region = state_rule_of(&matcher->trace->regions[piece->region]) == RULE_PARALLEL;
  if (!matcher->sampled || (!region && !piece->inside && !innermost(matcher, location)))
    return true;
  struct sampled_gap gap = {piece->omitted, 0};
  if (piece->inside && !region)
    gap = (struct sampled_gap){0, piece->omitted};
  return sampled_omit(matcher->sampled, (struct sampled_place){piece->region, location}, gap);
}

bool instance_matcher_take(struct instance_matcher *matcher, uint32_t location, const struct piece *piece)
{
  switch (piece->kind) {
  case PIECE_TEAM_BEGIN:
    return join_team(matcher, location, piece);
  case PIECE_CONSTRUCT:
    return take_construct(matcher, location, piece);
  case PIECE_OMITTED:
    return instance_matcher_take_omitted(matcher, location, piece);
  default:
    return leave_team(matcher, location, piece);
  }
}

bool instance_matcher_finish(struct instance_matcher *matcher)
{
  bool good = true;
  for (uint32_t i = 0; i < matcher->team_count; i++) {
    while (matcher->teams[i].newest)
      good &= finish_team(matcher, matcher->teams[i].newest);
  }
  good = good && (!matcher->sampled || sampled_finish(matcher->sampled));
  return good && (!matcher->sums.waits || wait_pairs_hand_over(matcher->sums.waits, matcher->sums.imbalance));
}
