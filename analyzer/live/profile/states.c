#include "analyzer/live/profile/states.h"

#include "analyzer/live/profile/profile.h"

#include <stdlib.h>
#include <string.h>

static bool is_barrier(const struct trace_region *region)
{
  return region->role == OTF2_REGION_ROLE_BARRIER || region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
}

/* Marks of a region. */
enum { HAS_MEMBERS = 1, IS_LAST = 2 /* a barrier whose waits the members of its parallel region have */ };

static void mark_last(const struct trace *trace, const struct profiled *profile, uint8_t *marks)
{
  for (size_t i = 0; i < profile->count; i++) {
    const struct profile_row *row = &profile->rows[i];
    if (row->kind != PROFILE_MEMBER || row->region == TRACE_NONE || (marks[row->region] & HAS_MEMBERS))
      continue;
    marks[row->region] |= HAS_MEMBERS;
    uint32_t barrier = profiled_last_barrier(trace, row->region);
    if (barrier != row->region)
      marks[barrier] |= IS_LAST;
  }
}

wide_total profiled_row_wait(const struct trace *trace, const struct profile_row *row)
{
  if (row->kind == PROFILE_MEMBER)
    return row->waiting;
  bool barrier =
      row->kind == PROFILE_CONSTRUCT && row->region != TRACE_NONE && is_barrier(&trace->regions[row->region]);
  return barrier || row->kind == PROFILE_ACQUIRE ? row->self : 0;
}

static void add_wait(struct profiled_wait *waits, const struct profile_row *row, wide_total wait)
{
  waits->executions = row->executions > waits->executions ? row->executions : waits->executions;
  waits->least = waits->threads == 0 || wait < waits->least ? wait : waits->least;
  waits->most = wait > waits->most ? wait : waits->most;
  waits->all += wait;
  waits->lock |= row->kind == PROFILE_ACQUIRE;
  waits->threads++;
}

struct profiled_wait *profiled_waits(const struct trace *trace, const struct profiled *profile)
{
  struct profiled_wait *waits = calloc(trace->region_count + 1, sizeof *waits);
  uint8_t *marks = calloc(trace->region_count + 1, sizeof *marks);
  if (!waits || !marks) {
    free(waits);
    free(marks);
    return NULL;
  }
  for (uint32_t i = 0; i < trace->region_count; i++)
    waits[i].region = i;
  mark_last(trace, profile, marks);
  for (size_t i = 0; i < profile->count; i++) {
    const struct profile_row *row = &profile->rows[i];
    if (row->region == TRACE_NONE || row->executions == 0)
      continue;
    bool barrier =
        row->kind == PROFILE_CONSTRUCT && is_barrier(&trace->regions[row->region]) && !(marks[row->region] & IS_LAST);
    if (row->kind == PROFILE_MEMBER || row->kind == PROFILE_ACQUIRE || barrier)
      add_wait(&waits[row->region], row, profiled_row_wait(trace, row));
  }
  free(marks);
  return waits;
}

/* The states of threads from a profile: a row's self time has the state of its construct. */

static enum state state_of(const struct trace *trace, const struct profile_row *row)
{
  switch (row->kind) {
  case PROFILE_MEMBER:
    return STATE_RUN;
  case PROFILE_TOOL:
    return STATE_TRACEFLUSH;
  case PROFILE_OTHER:
  case PROFILE_NOT_MEASURED:
    return STATE_UNMEASURED;
  default:
    break;
  }
  if (row->region == TRACE_NONE)
    return STATE_RUN;
  enum rule rule = state_rule_of(&trace->regions[row->region]);
  return rule == RULE_PARALLEL ? STATE_OVERHEAD : state_rules[rule].alone; /* the member's row has the program's */
}

uint32_t profiled_last_barrier(const struct trace *trace, uint32_t region)
{
  const struct trace_region *parallel = &trace->regions[region];
  for (uint32_t i = 0; i < trace->region_count && parallel->line > 0; i++)
    if (trace->regions[i].role == OTF2_REGION_ROLE_IMPLICIT_BARRIER && trace->regions[i].line == parallel->line &&
        strcmp(trace->regions[i].file, parallel->file) == 0)
      return i;
  return region;
}

/* The rows of a thread. */
struct thread_rows {
  const struct profile_row *first, *end;
};

static struct thread_rows rows_of(const struct profiled *profile, const struct profile_row *one)
{
  struct thread_rows rows = {one, one};
  while (rows.first > profile->rows && rows.first[-1].location == one->location)
    rows.first--;
  while (rows.end < profile->rows + profile->count && rows.end->location == one->location)
    rows.end++;
  return rows;
}

/* True if a thread is idle outside of regions. */
static bool is_worker(const struct trace *trace, struct thread_rows rows)
{
  uint32_t location = rows.first->location;
  bool joined = false, encountered = false;
  for (const struct profile_row *row = rows.first; row < rows.end; row++) {
    joined |= row->joined > 0;
    encountered |= row->kind == PROFILE_MEMBER && row->joined == 0;
  }
  enum trace_thread_type type = trace->locations[location].type;
  return type == TRACE_THREAD_WORKER || (type != TRACE_THREAD_INITIAL && joined && !encountered);
}

enum state profiled_row_state(const struct trace *trace, const struct profiled *profile, const struct profile_row *row)
{
  return row->kind == PROFILE_OUTSIDE && is_worker(trace, rows_of(profile, row)) ? STATE_IDLE : state_of(trace, row);
}

static void states_add(struct states_sums *sums, uint32_t location, uint32_t construct, enum state state,
                       wide_total ticks)
{
  sums->threads[location].ticks[state] += ticks;
  sums->constructs[construct].ticks[state] += ticks;
}

/*
 * The time outside of constructs. A worker waits there at the last barriers of its regions, whose ends it reports late
 * or not at all.
 */
static void add_outside(const struct trace *trace, const struct profiled *profile, const struct profile_row *outside,
                        struct states_sums *sums)
{
  struct thread_rows rows = rows_of(profile, outside);
  bool worker = is_worker(trace, rows);
  wide_total rest = outside->self;
  for (const struct profile_row *row = rows.first; worker && row < rows.end; row++) {
    if (row->kind != PROFILE_MEMBER || row->joined == 0)
      continue;
    wide_total wait = row->waiting * row->joined / row->executions;
    wait = wait < rest ? wait : rest;
    uint32_t barrier = profiled_last_barrier(trace, row->region);
    sums->constructs[barrier].calls += barrier == row->region ? 0 : row->joined;
    states_add(sums, outside->location, barrier, STATE_SYNCH_IMPLICIT_BARRIER, wait);
    rest -= wait;
  }
  states_add(sums, outside->location, sums->regions, worker ? STATE_IDLE : STATE_RUN, rest);
}

static void add_row(const struct trace *trace, const struct profile_row *row, struct states_sums *sums)
{
  uint32_t construct = row->region == TRACE_NONE ? sums->regions : row->region;
  states_add(sums, row->location, construct, state_of(trace, row), row->self);
  if (row->kind == PROFILE_CONSTRUCT || row->kind == PROFILE_ACQUIRE)
    sums->constructs[construct].calls += row->executions;
  else if (row->kind == PROFILE_MEMBER)
    sums->constructs[construct].calls += row->joined;
}

bool profiled_states(const struct trace *trace, const struct profiled *profile, struct states_sums *sums)
{
  *sums = (struct states_sums){.locations = trace->location_count, .regions = trace->region_count};
  sums->threads = calloc(trace->location_count + 1, sizeof *sums->threads);
  sums->constructs = calloc(trace->region_count + 1, sizeof *sums->constructs);
  if (!sums->threads || !sums->constructs)
    return false;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    sums->threads[i].first = profile->lives[i].first;
    sums->threads[i].last = profile->lives[i].last;
    sums->threads[i].alive = profile->lives[i].last > 0;
  }
  for (size_t i = 0; i < profile->count; i++) {
    const struct profile_row *row = &profile->rows[i];
    if (row->kind == PROFILE_OUTSIDE)
      add_outside(trace, profile, row, sums);
    else if (row->kind != PROFILE_HOLD)
      add_row(trace, row, sums);
  }
  return true;
}
