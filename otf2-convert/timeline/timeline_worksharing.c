/* Parallel regions, teams and implicit tasks; loops and their chunks, sections, single; cancellation. */
#include "common/recorder/static_chunks.h"
#include "otf2-convert/timeline/timeline_records.h"

#include <string.h>

#define DERIVED_SHOWN 16u /* chunks of a loop instance that get an event of their own; the rest share one */

static void timeline_worksharing_add_range(struct timeline *t, uint64_t first, uint64_t iterations)
{
  archive_check(t->sink.archive, OTF2_AttributeList_AddInt64(t->sink.attributes, ATTRIBUTE_FIRST, (int64_t)first));
  archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_ITERATIONS, iterations));
}

static void derived_chunk(struct timeline *t, uint32_t region, uint64_t time, uint64_t first, uint64_t iterations,
                          uint64_t chunks)
{
  timeline_worksharing_add_range(t, first, iterations);
  archive_check(t->sink.archive, OTF2_AttributeList_AddUint8(t->sink.attributes, ATTRIBUTE_DERIVED, 1));
  if (chunks > 1)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_CHUNKS, chunks));
  sink_zero_length_with(&t->sink, time, region);
  t->counts.chunks_derived += chunks;
}

/* True if the thread is a team of its own. */
static bool is_alone(const struct timeline *t)
{
  return t->team != NO_FRAME && t->frames.items[t->team].team.size == 1;
}

/*
 * In a team of one no chunk of a static loop is reported, and there can be but one: all iterations. Other schedules,
 * which the runtime calls static there, too, report theirs with the next record.
 */
void attend_loop(struct timeline *t, const uint64_t *record)
{
  t->attention &= ~(unsigned)ATTEND_LOOP;
  uint32_t loop = frame_find(t, F_WORK);
  unsigned kind = raw_kind_of(record[0]);
  if (kind == RAW_CHUNK || kind == RAW_CHUNK_WIDE || kind == RAW_CHUNKS || loop == NO_FRAME)
    return;
  uint64_t code = 0, count = t->frames.items[loop].work.count;
  uint32_t region = timeline_region(t, C_CHUNK, &code);
  if (frame_push(t, F_CHUNK, DISPATCH_LOOP_CHUNK, region, code) == NULL) {
    t->hidden[F_CHUNK] = 0; /* chunks have no end records */
    return;
  }
  timeline_worksharing_add_range(t, 0, count);
  archive_check(t->sink.archive, OTF2_AttributeList_AddUint8(t->sink.attributes, ATTRIBUTE_DERIVED, 1));
  sink_enter_with(&t->sink, t->sink.last, region);
  t->counts.chunks_derived++;
}

void take_work_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned work = raw_detail_of(record[0]);
  struct frame *frame = frame_enter(t, F_WORK, work, construct_of_work(work), raw_value_of(record[0]), time);
  if (frame == NULL)
    return;
  frame->work.count = record[2];
  if (work == WORK_SINGLE_EXECUTOR)
    frame_enter(t, F_SBLOCK, work, C_SINGLE_SBLOCK, raw_value_of(record[0]), time);
  else if (work == WORK_LOOP_STATIC && is_alone(t) && record[2] != 0 && !t->location->process->info.libgomp)
    t->attention |= ATTEND_LOOP;
}

/* The chunks of a schedule(static, C) loop after the first one; the runtime reports only that. */
static void derive_chunks(struct timeline *t, const struct frame *loop, uint64_t time)
{
  const struct frame *team = t->team == NO_FRAME ? NULL : &t->frames.items[t->team];
  if (team == NULL || loop->work.chunks != 1 || !loop->work.dispatched || loop->cancelled)
    return;
  struct static_chunks rest;
  struct static_loop of = {.count = loop->work.count,
                           .first = loop->work.first,
                           .iterations = loop->work.iterations,
                           .team = team->team.size,
                           .number = team->team.index};
  if (!static_chunks_of(&of, &rest))
    return;
  uint64_t code = loop->code;
  uint32_t region = timeline_region(t, C_CHUNK, &code);
  uint64_t shown = rest.chunks < DERIVED_SHOWN ? rest.chunks : DERIVED_SHOWN - 1;
  for (uint64_t k = 1; k <= shown; k++)
    derived_chunk(t, region, time, of.first + k * rest.step, k < rest.chunks ? of.iterations : rest.last, 1);
  if (shown < rest.chunks)
    derived_chunk(t, region, time, of.first + (shown + 1) * rest.step,
                  static_chunks_iterations(&of, &rest) - shown * of.iterations, rest.chunks - shown);
}

void take_work_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint32_t frame = frame_find_detail(t, F_WORK, raw_detail_of(record[0]));
  if (t->hidden[F_WORK] > 0 || frame == NO_FRAME) {
    frame_end(t, F_WORK, frame, time);
    return;
  }
  frames_close_to(t, frame + 1, time, CLOSED_LOST);
  unsigned work = t->frames.items[frame].detail;
  if (t->location->process->info.libgomp)
    t->work_ended = t->frames.items[frame].code;
  else if (work == WORK_LOOP_STATIC || work == WORK_LOOP)
    derive_chunks(t, &t->frames.items[frame], time);
  frame_close_top(t, time, CLOSED_BY_END);
}

/* Closes the former chunk or section of the innermost loop, sections construct or task. */
static struct frame *close_part(struct timeline *t, enum frame_type type, uint64_t time)
{
  for (uint32_t i = t->frames.count; i-- > 0;) {
    struct frame *frame = &t->frames.items[i];
    if (frame->type == type) {
      frames_close_to(t, i + 1, time, CLOSED_LOST);
      frame_close_top(t, time, CLOSED_BY_END);
      return i == 0 ? NULL : &t->frames.items[i - 1];
    }
    if (frame->type == F_WORK || frame->type == F_TASK)
      return frame;
    if (frame->type == F_TEAM)
      break;
  }
  return NULL;
}

void take_chunk(struct timeline *t, const uint64_t *record, uint64_t time)
{
  bool several = raw_kind_of(record[0]) == RAW_CHUNKS, wide = several || raw_kind_of(record[0]) == RAW_CHUNK_WIDE;
  uint64_t first = wide ? record[2] : (uint64_t)(int64_t)(int32_t)(record[0] >> 16);
  uint64_t iterations = wide ? record[3] : record[0] & 0xffff;
  struct frame *whole = close_part(t, F_CHUNK, time);
  if (whole == NULL) { /* its loop's begin was lost */
    t->counts.ends_unmatched++;
    return;
  }
  uint64_t chunks = several ? record[4] : 1;
  if (whole->type == F_WORK && (whole->work.chunks += chunks < 2 ? 1 : 2) == 1) { /* the first, and it is alone */
    whole->work.first = first;
    whole->work.iterations = iterations;
    whole->work.dispatched = raw_detail_of(record[0]) == DISPATCH_LOOP_CHUNK;
  }
  uint64_t code = 0;
  uint32_t region = timeline_region(t, C_CHUNK, &code);
  struct frame *frame = frame_push(t, F_CHUNK, raw_detail_of(record[0]), region, code);
  if (frame == NULL) {
    t->hidden[F_CHUNK] = 0; /* chunks have no end records */
    return;
  }
  timeline_worksharing_add_range(t, first, iterations);
  if (chunks > 1) {
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_CHUNKS, chunks));
    t->counts.chunks_summed += chunks;
    t->counts.calls_omitted += chunks - 1;
  }
  sink_enter_with(&t->sink, time, region);
}

void take_section(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (close_part(t, F_SECTION, time) == NULL) {
    t->counts.ends_unmatched++;
    return;
  }
  if (frame_enter(t, F_SECTION, raw_detail_of(record[0]), C_SECTION, raw_value_of(record[0]), time) == NULL)
    t->hidden[F_SECTION] = 0;
}

static bool is_cancellable(unsigned work)
{
  return work != WORK_WORKSHARE && work != WORK_SCOPE && work != WORK_DISTRIBUTE && work != WORK_TASKLOOP;
}

/*
 * A barrier begins: no loop or sections construct of this task can still be running. A cancelled one gets no end from
 * the runtime.
 */
void close_cancelled_work(struct timeline *t, uint64_t time)
{
  for (uint32_t i = t->frames.count; i-- > 0 && t->frames.items[i].type != F_TEAM && t->frames.items[i].type != F_TASK;)
    if (t->frames.items[i].type == F_WORK && is_cancellable(t->frames.items[i].detail)) {
      t->frames.items[i].cancelled = true;
      frames_close_to(t, i, time, CLOSED_CANCELLED);
    }
}

void take_cancel(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned flags = raw_detail_of(record[0]);
  enum fixed_string what = (flags & CANCEL_PARALLEL) != 0   ? STRING_PARALLEL
                           : (flags & CANCEL_SECTIONS) != 0 ? STRING_SECTIONS
                           : (flags & CANCEL_LOOP) != 0     ? STRING_LOOP
                                                            : STRING_TASKGROUP;
  uint64_t code = raw_value_of(record[0]);
  uint32_t region = timeline_region(t, C_CANCEL, &code), work = frame_find(t, F_WORK);
  archive_check(t->sink.archive, OTF2_AttributeList_AddStringRef(t->sink.attributes, ATTRIBUTE_CANCEL, what));
  sink_zero_length_with(&t->sink, time, region);
  if ((flags & (CANCEL_ACTIVATED | CANCEL_DETECTED)) == 0)
    return;
  if ((flags & (CANCEL_LOOP | CANCEL_SECTIONS)) != 0 && work != NO_FRAME)
    t->frames.items[work].cancelled = true;
  if ((flags & CANCEL_PARALLEL) != 0 && t->team != NO_FRAME)
    t->frames.items[t->team].cancelled = true;
}

void take_parallel_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned detail = raw_detail_of(record[0]);
  enum construct construct = (detail & RAW_PARALLEL_LEAGUE) != 0 ? C_TEAMS : C_PARALLEL;
  uint64_t id = record[2] & RAW_VALUE_MASK, code = raw_value_of(record[0]);
  /* libomp now and then reports no place of a serialized region: the enclosing region's place would count it as one of
   * its instances */
  struct frame *frame = code != 0 ? frame_enter(t, F_PARALLEL, detail, construct, code, time)
                                  : frame_enter_nowhere(t, F_PARALLEL, detail, construct, time);
  if (frame == NULL) {
    timeline_region_done(t, id);
    return;
  }
  frame->key = id;
  sink_fork(&t->sink, time, (uint32_t)(record[2] >> RAW_VALUE_BITS));
}

void take_parallel_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_end(t, F_PARALLEL, frame_find_key(t, F_PARALLEL, raw_value_of(record[0])), time);
}

/* Closes the open frames of a thread that begins as a worker: it is in no other region. */
static void become_worker(struct timeline *t, uint64_t time)
{
  uint32_t base = 0;
  while (base < t->frames.count && t->frames.items[base].type == F_THREAD)
    base++;
  frames_close_to(t, base, time, CLOSED_LOST);
}

/* Returns the lowest of the user's frames on top of the stack; the depth: there is none. */
static uint32_t users_on_top(const struct timeline *t)
{
  uint32_t at = t->frames.count;
  while (at > 0 && frame_is_users(&t->frames.items[at - 1]))
    at--;
  return at;
}

/*
 * The initial task has no events. It begins when the runtime does, which may be inside of regions of the user's, and
 * ends with the runtime. So it goes beneath them, and they outlive it.
 */
static void begin_initial(struct timeline *t, unsigned detail)
{
  uint32_t at = users_on_top(t);
  if (frame_push(t, F_INITIAL, detail, REGION_NONE, 0) == NULL)
    return;
  struct frame initial = t->frames.items[t->frames.count - 1];
  memmove(&t->frames.items[at + 1], &t->frames.items[at], (t->frames.count - 1 - at) * sizeof *t->frames.items);
  t->frames.items[at] = initial;
}

static void end_initial(struct timeline *t, uint32_t initial, uint64_t time)
{
  if (users_on_top(t) != initial + 1) {
    frame_end(t, F_INITIAL, initial, time);
    return;
  }
  t->frames.count--;
  t->open[F_INITIAL]--;
  memmove(&t->frames.items[initial], &t->frames.items[initial + 1],
          (t->frames.count - initial) * sizeof *t->frames.items);
}

void take_implicit_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t id = raw_value_of(record[0]);
  uint32_t index = (uint32_t)(record[2] >> 32), size = (uint32_t)record[2];
  if (id == RAW_ID_NONE) {
    begin_initial(t, raw_detail_of(record[0]));
    return;
  }
  const struct team *team = timeline_team(t, id);
  uint32_t comm = team != NULL && team->comm != COMM_NONE ? team->comm : OTF2_UNDEFINED_COMM;
  uint64_t code = team != NULL ? team->code : 0;
  if (index > 0)
    become_worker(t, time);
  uint32_t region = REGION_NONE;
  if (index > 0)
    region = timeline_region(t, team != NULL && team->is_league ? C_TEAMS : C_PARALLEL, &code);
  else
    code = frame_enclosing_code(t);
  struct frame *frame = frame_push(t, F_TEAM, raw_detail_of(record[0]), region, code);
  if (frame == NULL) {
    timeline_region_done(t, id);
    return;
  }
  frame->key = id;
  frame->team.index = index;
  frame->team.size = size;
  frame->team.comm = comm;
  frame->team.outer = t->team;
  t->team = t->frames.count - 1;
  sink_team_begin(&t->sink, time, comm);
  if (index > 0)
    sink_enter(&t->sink, time, region);
}

void take_implicit_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)record;
  /* An initial task's end may come when its thread has ended already; nothing is missing then. */
  uint32_t team = frame_find(t, F_TEAM), initial = frame_find(t, F_INITIAL);
  if (t->hidden[F_TEAM] > 0)
    t->hidden[F_TEAM]--;
  else if (team != NO_FRAME && (initial == NO_FRAME || team > initial))
    frame_end(t, F_TEAM, team, time);
  else if (initial != NO_FRAME)
    end_initial(t, initial, time);
  else if (raw_detail_of(record[0]) != IMPLICIT_INITIAL)
    t->counts.ends_unmatched++;
}
