#include "analyzer/live/profile/waits.h"

#include <stdlib.h>

static bool is_barrier(const struct trace_region *region)
{
  return region->role == OTF2_REGION_ROLE_BARRIER || region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
}

/* What is known of a region. */
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
