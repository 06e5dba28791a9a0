#include "analyzer/analyses/loops/loop_matcher.h"

#include "analyzer/trace/restriction.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void loop_record_begin(struct loop_record *record)
{
  *record = (struct loop_record){.entry_least = UINT64_MAX, .chunk_least = UINT64_MAX};
}

void execution_free(struct execution *execution)
{
  free(execution->arrivals);
  piece_list_free(&execution->pieces);
  *execution = (struct execution){0};
}

static uint64_t mix(uint64_t x)
{
  return hash_draw(&x);
}

static uint64_t record_hash_of(const struct execution_id *id, uint32_t region)
{
  return mix(mix(mix((uint64_t)region << 32 | id->team) ^ id->crew) ^ id->occurrence);
}

static int compare_ids(const struct execution_id *left, const struct execution_id *right)
{
  if (left->team != right->team)
    return left->team < right->team ? -1 : 1;
  if (left->crew != right->crew)
    return left->crew < right->crew ? -1 : 1;
  return (left->occurrence > right->occurrence) - (left->occurrence < right->occurrence);
}

static bool is_kept_rather(const struct execution *left, const struct execution *right)
{
  return left->hash != right->hash ? left->hash < right->hash : compare_ids(&left->id, &right->id) < 0;
}

static bool is_earlier(const struct execution *left, const struct execution *right)
{
  return left->leave != right->leave ? left->leave < right->leave : compare_ids(&left->id, &right->id) < 0;
}

/* The execution that is dropped for a new one. */
static uint32_t find_last(const struct loop_record *record)
{
  uint32_t last = 0;
  for (uint32_t i = 1; i < record->sample_count; i++)
    if (is_kept_rather(&record->samples[last], &record->samples[i]))
      last = i;
  return last;
}

void loop_record_sample(struct loop_record *record, uint32_t region, struct execution *execution)
{
  execution->hash = record_hash_of(&execution->id, region);
  if (record->sample_count == RECORD_SAMPLES) {
    uint32_t last = find_last(record);
    if (!is_kept_rather(execution, &record->samples[last])) {
      execution_free(execution);
      return;
    }
    execution_free(&record->samples[last]);
    record->sample_count--;
    memmove(&record->samples[last], &record->samples[last + 1],
            (record->sample_count - last) * sizeof *record->samples);
  }
  uint32_t at = record->sample_count++;
  for (; at > 0 && is_earlier(execution, &record->samples[at - 1]); at--)
    record->samples[at] = record->samples[at - 1];
  record->samples[at] = *execution;
  *execution = (struct execution){0};
}

static uint64_t record_larger(uint64_t left, uint64_t right)
{
  return left > right ? left : right;
}

static uint64_t smaller(uint64_t left, uint64_t right)
{
  return left < right ? left : right;
}

void loop_record_merge(struct loop_record *into, struct loop_record *from, uint32_t region)
{
  into->calls += from->calls;
  into->incomplete += from->incomplete;
  into->excluded += from->excluded;
  into->empty += from->empty;
  into->scattered += from->scattered;
  into->chunkless += from->chunkless;
  into->ordered |= from->ordered;
  into->ticks += from->ticks;
  into->present += from->present;
  into->off += from->off;
  fine_total_merge(&into->ideal, from->ideal);
  into->iterations += from->iterations;
  into->chunks += from->chunks;
  into->longest = record_larger(into->longest, from->longest);
  into->most_chunks = record_larger(into->most_chunks, from->most_chunks);
  if (into->threads_least == 0 || (from->threads_least > 0 && from->threads_least < into->threads_least))
    into->threads_least = from->threads_least;
  into->threads_most = (uint32_t)record_larger(into->threads_most, from->threads_most);
  into->gaps += from->gaps;
  into->gap_ticks += from->gap_ticks;
  into->entry_least = smaller(into->entry_least, from->entry_least);
  into->chunk_least = smaller(into->chunk_least, from->chunk_least);
  for (uint32_t i = 0; i < from->sample_count; i++)
    loop_record_sample(into, region, &from->samples[i]);
  loop_record_begin(from);
}

void loop_record_free(struct loop_record *record)
{
  for (uint32_t i = 0; i < record->sample_count; i++)
    execution_free(&record->samples[i]);
}

#define PIECES_MAX   (1u << 21) /* limit of unfinished executions of all processes, but ... */
#define PIECES_LEAST (1u << 16) /* ... at least this many a process; beyond the limit its oldest are dropped */
#define LEVELS_MAX   64         /* as in loop_watcher.c */

/* One execution of a parallel region. */
struct crew {
  uint64_t number; /* which one of its team, from 1 */
  const struct trace_team *team;
  uint32_t looked_at; /* members */
  uint32_t joined, left;
  struct crew *next; /* the next younger one of the same team */
  bool is_in[];      /* by rank: has it ever joined? */
};

/* The shares so far of one execution of a loop. */
struct unfinished {
  struct hash_link link;        /* in the table */
  struct unfinished_list *list; /* where it is */
  uint32_t region;
  uint32_t looked_at; /* members; all are execution.threads */
  uint64_t enter;
  uint64_t iterations, chunks;
  bool scattered, broken, after_gap;
  VECTOR(uint64_t) begins; /* by order of arrival: when the first chunk began; so many members have arrived */
  struct execution execution;
  struct unfinished *older, *younger;
};

/* Executions of one process: the choice of dropped executions must not depend on other processes. */
struct unfinished_list {
  struct unfinished *eldest, *youngest;
  size_t pieces; /* number of all, and one for each of their threads: their memory grows with it */
};

/* The teams a thread is in. */
struct member {
  struct crew *crews[LEVELS_MAX];
  uint32_t depth;
};

struct loop_matcher {
  const struct trace *trace;
  struct loop_record *records;
  struct trace_team *teams; /* the trace's; if it has none, a team a process */
  uint32_t team_count;
  bool own_teams;
  uint32_t *looked_at;  /* a team: members */
  struct crew **oldest; /* a team */
  struct member *members;
  uint64_t *crews;               /* a team: so many there were */
  struct hash unfinished;        /* by loop_matcher_hash_of() */
  struct unfinished_list *lists; /* a process; the last one is for teams without a process */
  uint32_t list_count;
};

static uint64_t loop_matcher_hash_of(const struct execution_id *id, uint32_t region)
{
  return hash_mix(hash_mix(id->crew) ^ id->team) ^ ((uint64_t)region << 32 | id->occurrence);
}

static struct unfinished *find(const struct loop_matcher *matcher, const struct execution_id *id, uint32_t region)
{
  struct hash_link *link = hash_chain_first(&matcher->unfinished, loop_matcher_hash_of(id, region));
  for (; link; link = link->next) {
    struct unfinished *one = (struct unfinished *)link;
    if (one->region == region && execution_is(&one->execution, id))
      return one;
  }
  return NULL;
}

/* Puts it into the table. False: out of memory. */
static bool put_in(struct loop_matcher *matcher, struct unfinished *one)
{
  return hash_chain_add(&matcher->unfinished, loop_matcher_hash_of(&one->execution.id, one->region), &one->link);
}

static void take_from_table(struct loop_matcher *matcher, const struct unfinished *one)
{
  hash_chain_remove(&matcher->unfinished, loop_matcher_hash_of(&one->execution.id, one->region), &one->link);
}

static void discard(struct unfinished *unfinished)
{
  execution_free(&unfinished->execution);
  vector_free(&unfinished->begins);
  free(unfinished);
}

/* Takes it out of the table and the list of ages. */
static void take_out(struct loop_matcher *matcher, struct unfinished *one)
{
  struct unfinished_list *list = one->list;
  take_from_table(matcher, one);
  *(one->older ? &one->older->younger : &list->eldest) = one->younger;
  *(one->younger ? &one->younger->older : &list->youngest) = one->older;
  list->pieces -= one->execution.pieces.pieces.count + one->execution.threads;
}

static bool loop_matcher_is_whole(const struct loop_matcher *matcher, const struct unfinished *one)
{
  return trace_time_is_whole(matcher->trace, one->enter, one->execution.leave) &&
         one->looked_at == one->execution.threads;
}

/* It is not in the table any more. */
static void exclude(const struct loop_matcher *matcher, struct unfinished *one)
{
  matcher->records[one->region].excluded += trace_time_overlaps(matcher->trace, one->enter, one->execution.leave);
  discard(one);
}

/* `cut`: missing shares may be behind the restriction. */
static void give_up(struct loop_matcher *matcher, struct unfinished *one, bool cut)
{
  take_out(matcher, one);
  if (cut || !loop_matcher_is_whole(matcher, one)) {
    exclude(matcher, one);
    return;
  }
  matcher->records[one->region].calls++;
  matcher->records[one->region].incomplete++;
  discard(one);
}

/* The arrivals of the threads of an execution, from its beginning on. False: out of memory. */
static bool set_arrivals(struct unfinished *one)
{
  struct execution *execution = &one->execution;
  execution->arrivals = malloc(execution->threads * sizeof *execution->arrivals);
  for (uint32_t i = 0; execution->arrivals && i < execution->threads; i++)
    execution->arrivals[i] = (double)(one->begins.items[i] - one->enter);
  return execution->arrivals != NULL;
}

/* Adds up an execution with all shares of members within the restriction. False: out of memory. */
static bool finish(struct loop_matcher *matcher, struct unfinished *one)
{
  struct loop_record *record = &matcher->records[one->region];
  struct execution *execution = &one->execution;
  take_out(matcher, one);
  if (!loop_matcher_is_whole(matcher, one)) {
    exclude(matcher, one);
    return true;
  }
  record->calls++;
  bool empty = one->chunks > 0 && one->iterations == 0;
  if (one->broken || empty) {
    *(one->broken ? &record->incomplete : &record->empty) += 1;
    discard(one);
    return true;
  }
  if (!set_arrivals(one)) {
    discard(one);
    return false;
  }
  double ideal = (double)execution->busy;
  for (uint32_t i = 0; i < execution->threads; i++)
    ideal += one->chunks ? execution->arrivals[i] : 0;
  execution->ticks = execution->leave - one->enter;
  record->ticks += execution->ticks;
  fine_total_add(&record->ideal, ideal / execution->threads);
  record->iterations += one->iterations;
  record->chunks += one->chunks;
  record->scattered += one->scattered;
  record->chunkless += one->chunks == 0;
  if (record->threads_least == 0 || execution->threads < record->threads_least)
    record->threads_least = execution->threads;
  if (execution->threads > record->threads_most)
    record->threads_most = execution->threads;
  if (!one->scattered && one->chunks > 0)
    loop_record_sample(record, one->region, execution);
  discard(one);
  return true;
}

static struct execution_id id_of(const struct loop_matcher *matcher, const struct crew *crew, const struct share *share)
{
  return (struct execution_id){(uint32_t)(crew->team - matcher->teams), share->occurrence, crew->number};
}

static struct unfinished_list *list_of(const struct loop_matcher *matcher, const struct crew *crew)
{
  uint32_t process = matcher->trace->locations[crew->team->members[0]].process;
  return &matcher->lists[process < matcher->list_count ? process : matcher->list_count - 1];
}

static struct unfinished *create(struct loop_matcher *matcher, const struct crew *crew, const struct share *share)
{
  struct unfinished *one = calloc(1, sizeof *one);
  if (!one)
    return NULL;
  struct unfinished_list *list = one->list = list_of(matcher, crew);
  one->region = share->region;
  one->enter = share->enter;
  one->execution.id = id_of(matcher, crew, share);
  one->execution.threads = crew->team->size;
  one->looked_at = crew->looked_at;
  if (!put_in(matcher, one)) {
    free(one);
    return NULL;
  }
  one->older = list->youngest;
  *(one->older ? &one->older->younger : &list->eldest) = one;
  list->youngest = one;
  list->pieces += one->execution.threads;
  return one;
}

/* What a loop's record has of single shares, whether or not all of them come. */
static void add_to_record(struct loop_record *record, const struct share *share)
{
  if (share->longest > record->longest)
    record->longest = share->longest;
  if (share->chunks > record->most_chunks)
    record->most_chunks = share->chunks;
  record->ordered |= share->ordered;
  record->gaps += share->gaps;
  record->gap_ticks += share->gap_ticks;
  record->present += share->leave - share->enter;
  record->off += share->off;
  if (share->broken)
    return; /* a chunk that was cut is no short one */
  if (share->chunks > 0 && share->begin - share->enter < record->entry_least)
    record->entry_least = share->begin - share->enter;
  if (share->least_ticks < record->chunk_least)
    record->chunk_least = share->least_ticks;
}

static size_t pieces_max(const struct loop_matcher *matcher)
{
  size_t share = matcher->list_count > 1 ? PIECES_MAX / (matcher->list_count - 1) : PIECES_MAX;
  return share > PIECES_LEAST ? share : PIECES_LEAST;
}

static bool take_loop(struct loop_matcher *matcher, const struct member *member, const struct share *share)
{
  const struct crew *crew = member->depth > 0 ? member->crews[member->depth - 1] : NULL;
  if (!crew)
    return true;
  if (crew->looked_at == crew->team->size && trace_time_is_whole(matcher->trace, share->enter, share->leave))
    add_to_record(&matcher->records[share->region], share);
  struct execution_id id = id_of(matcher, crew, share);
  struct unfinished *one = find(matcher, &id, share->region);
  if (!one && !(one = create(matcher, crew, share)))
    return false;
  size_t before = one->execution.pieces.pieces.count;
  bool good = piece_list_append(&one->execution.pieces, &share->pieces);
  struct unfinished_list *list = one->list;
  list->pieces += one->execution.pieces.pieces.count - before;
  /* After a gap, shares of different executions may meet here. */
  one->after_gap |= share->after_gap;
  one->broken |=
      one->after_gap && one->begins.count > 0 && (share->enter > one->execution.leave || share->leave < one->enter);
  one->enter = share->enter < one->enter ? share->enter : one->enter;
  if (share->leave > one->execution.leave)
    one->execution.leave = share->leave;
  one->scattered |= share->scattered;
  one->broken |= share->broken || __builtin_add_overflow(one->iterations, share->iterations, &one->iterations);
  one->chunks += share->chunks;
  one->execution.busy += share->chunks ? share->busy : share->leave - share->enter;
  good = good && vector_push(&one->begins, share->begin);
  if (good && one->begins.count == crew->looked_at)
    return finish(matcher, one);
  while (list->pieces > pieces_max(matcher))
    give_up(matcher, list->eldest, false);
  return good;
}

/* Frees a crew that no thread is in and none can join any more. */
static void drop_crew(struct loop_matcher *matcher, struct crew *crew)
{
  struct crew **at = &matcher->oldest[crew->team - matcher->teams];
  while (*at != crew)
    at = &(*at)->next;
  *at = crew->next;
  free(crew);
}

static bool join(struct loop_matcher *matcher, uint32_t location, uint32_t index)
{
  struct member *member = &matcher->members[location];
  if (member->depth == LEVELS_MAX)
    return true;
  struct crew *crew = NULL, **at = NULL;
  uint32_t rank = index < matcher->team_count ? trace_team_rank(&matcher->teams[index], location) : TRACE_NONE;
  if (rank != TRACE_NONE) {
    for (at = &matcher->oldest[index]; *at && ((*at)->is_in[rank] || (*at)->left > 0);)
      at = &(*at)->next;
    crew = *at;
  }
  if (rank != TRACE_NONE && !crew) {
    const struct trace_team *team = &matcher->teams[index];
    crew = *at = calloc(1, sizeof *crew + team->size);
    if (!crew)
      return false;
    crew->team = team;
    crew->looked_at = matcher->looked_at[index];
    crew->number = ++matcher->crews[index];
  }
  if (crew) {
    crew->is_in[rank] = true;
    crew->joined++;
  }
  member->crews[member->depth++] = crew;
  return true;
}

static void leave(struct loop_matcher *matcher, uint32_t location)
{
  struct member *member = &matcher->members[location];
  if (member->depth == 0)
    return;
  struct crew *crew = member->crews[--member->depth];
  if (crew && ++crew->left == crew->joined)
    drop_crew(matcher, crew);
}

bool loop_matcher_take(struct loop_matcher *matcher, uint32_t location, const struct share *share)
{
  switch (share->kind) {
  case SHARE_TEAM_BEGIN:
    return join(matcher, location, share->team);
  case SHARE_TEAM_END:
    leave(matcher, location);
    return true;
  default:
    return take_loop(matcher, &matcher->members[location], share);
  }
}

/* For traces without teams: all locations of a process; the last team is of locations without a process. */
static bool make_teams(struct loop_matcher *matcher)
{
  const struct trace *trace = matcher->trace;
  uint32_t count = trace->process_count + 1;
  matcher->own_teams = true;
  matcher->team_count = count;
  matcher->teams = calloc(count, sizeof *matcher->teams);
  for (uint32_t i = 0; matcher->teams && i < trace->location_count; i++) {
    uint32_t process = trace->locations[i].process;
    matcher->teams[process == TRACE_NONE ? count - 1 : process].size++;
  }
  for (uint32_t i = 0; matcher->teams && i < count; i++) {
    struct trace_team *team = &matcher->teams[i];
    team->members = calloc(team->size + 1, sizeof *team->members);
    if (!team->members)
      return false;
    team->size = 0;
  }
  for (uint32_t i = 0; matcher->teams && i < trace->location_count; i++) {
    uint32_t process = trace->locations[i].process;
    struct trace_team *team = &matcher->teams[process == TRACE_NONE ? count - 1 : process];
    if (!trace->locations[i].excluded)
      team->members[team->size++] = i;
  }
  return matcher->teams != NULL;
}

struct loop_matcher *loop_matcher_create(const struct trace *trace, struct loop_record *records)
{
  struct loop_matcher *matcher = calloc(1, sizeof *matcher);
  if (!matcher)
    return NULL;
  matcher->trace = trace;
  matcher->records = records;
  matcher->teams = trace->teams;
  matcher->team_count = trace->team_count;
  bool good = trace->team_count > 0 || make_teams(matcher);
  matcher->oldest = calloc(matcher->team_count + 1, sizeof *matcher->oldest);
  matcher->crews = calloc(matcher->team_count + 1, sizeof *matcher->crews);
  matcher->members = calloc(trace->location_count + 1, sizeof *matcher->members);
  matcher->list_count = trace->process_count + 1;
  matcher->lists = calloc(matcher->list_count, sizeof *matcher->lists);
  matcher->looked_at = calloc(matcher->team_count + 1, sizeof *matcher->looked_at);
  for (uint32_t i = 0; good && matcher->looked_at && i < matcher->team_count; i++)
    matcher->looked_at[i] = trace_team_looked_at(trace, &matcher->teams[i]);
  if (good && matcher->oldest && matcher->crews && matcher->members && matcher->lists && matcher->looked_at)
    return matcher;
  loop_matcher_destroy(matcher);
  return NULL;
}

void loop_matcher_finish(struct loop_matcher *matcher)
{
  const struct trace_restriction *restriction = &matcher->trace->restriction;
  bool cut = restriction->timed && restriction->to < UINT64_MAX;
  for (uint32_t i = 0; matcher->lists && i < matcher->list_count; i++)
    while (matcher->lists[i].eldest)
      give_up(matcher, matcher->lists[i].eldest, cut);
}

void loop_matcher_destroy(struct loop_matcher *matcher)
{
  if (!matcher)
    return;
  loop_matcher_finish(matcher);
  for (uint32_t i = 0; matcher->oldest && i < matcher->team_count; i++) {
    for (struct crew *crew; (crew = matcher->oldest[i]);) {
      matcher->oldest[i] = crew->next;
      free(crew);
    }
  }
  for (uint32_t i = 0; matcher->own_teams && matcher->teams && i < matcher->team_count; i++)
    free(matcher->teams[i].members);
  if (matcher->own_teams)
    free(matcher->teams);
  hash_free(&matcher->unfinished);
  free(matcher->oldest);
  free(matcher->crews);
  free(matcher->lists);
  free(matcher->members);
  free(matcher->looked_at);
  free(matcher);
}
