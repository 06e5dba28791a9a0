#include "otf2-convert/timeline/timeline_frames.h"

struct frame *frame_push(struct timeline *t, enum frame_type type, unsigned detail, uint32_t region, uint64_t code)
{
  bool too_deep = t->frames.count >= FRAMES_MAX;
  if (__builtin_expect(too_deep, 0) ||
      !vector_push(
          &t->frames,
          ((struct frame){.type = (uint8_t)type, .detail = (uint8_t)detail, .region = region, .code = code}))) {
    t->hidden[type]++;
    t->out_of_memory |= !too_deep;
    return NULL;
  }
  t->open[type]++;
  return frame_top(t);
}

struct frame *frame_enter(struct timeline *t, enum frame_type type, unsigned detail, enum construct construct,
                          uint64_t code, uint64_t time)
{
  uint32_t region = timeline_region(t, construct, &code);
  struct frame *frame = frame_push(t, type, detail, region, code);
  if (frame != NULL)
    sink_enter_with(&t->sink, time, region);
  else
    OTF2_AttributeList_RemoveAllAttributes(t->sink.attributes);
  return frame;
}

struct frame *frame_enter_nowhere(struct timeline *t, enum frame_type type, unsigned detail, enum construct construct,
                                  uint64_t time)
{
  uint64_t code = 0;
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, construct, &code, 0);
  struct frame *frame = frame_push(t, type, detail, region, code);
  if (frame != NULL)
    sink_enter(&t->sink, time, region);
  return frame;
}

/* True if the program itself did not leave its region: no lost record could be the end. */
static bool is_forgotten(const struct timeline *t, const struct frame *frame, enum closed why)
{
  const struct thread_facts *facts = &t->location->facts;
  return frame->type == F_USER && (why == CLOSED_LOST || why == CLOSED_ENDED) &&
         facts->events_lost + facts->chunks_lost + facts->lost_after == 0 && !facts->paused_after;
}

static void timeline_frames_add_reason(struct timeline *t, enum closed why)
{
  static const OTF2_StringRef reasons[] = {
      [CLOSED_KILLED] = STRING_KILLED, [CLOSED_ENDED] = STRING_ENDED,         [CLOSED_CANCELLED] = STRING_CANCELLED,
      [CLOSED_LOST] = STRING_LOST,     [CLOSED_UNMOUNTED] = STRING_UNMOUNTED, [CLOSED_NOT_LEFT] = STRING_NOT_LEFT};
  archive_check(t->sink.archive, OTF2_AttributeList_AddStringRef(t->sink.attributes, ATTRIBUTE_CLOSED, reasons[why]));
}

/* Leaves a frame's region; says why when its end did not come. */
static void leave(struct timeline *t, const struct frame *frame, uint64_t time, enum closed why)
{
  if (why == CLOSED_BY_END) {
    sink_leave(&t->sink, time, frame->region);
    return;
  }
  if (is_forgotten(t, frame, why)) {
    why = why == CLOSED_LOST ? CLOSED_NOT_LEFT : why;
    t->counts.user_not_left++;
  } else if (why != CLOSED_UNMOUNTED && !(frame->type == F_CALL && why == CLOSED_ENDED))
    t->counts.ends_forced++; /* no loss: the carrier continues with something else; functions that call exit */
  timeline_frames_add_reason(t, why);
  sink_leave_with(&t->sink, time, frame->region);
}

void timeline_region_done(struct timeline *t, uint64_t id)
{
  if (id != RAW_ID_NONE && !vector_push(&t->location->regions_done, id))
    t->out_of_memory = true;
}

static void close_team(struct timeline *t, const struct frame *frame, uint64_t time, enum closed why)
{
  if (frame->team.index > 0)
    leave(t, frame, time, why);
  sink_team_end(&t->sink, time, frame->team.comm);
  t->team = frame->team.outer;
  timeline_region_done(t, frame->key);
}

/* A wait says how it ended. */
static void close_block(struct timeline *t, const struct frame *frame, uint64_t time, enum closed why)
{
  if ((frame->flags & RAW_BLOCK_TIMED_OUT) != 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint8(t->sink.attributes, ATTRIBUTE_TIMED_OUT, 1));
  if ((frame->flags & RAW_BLOCK_INTERRUPTED) != 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint8(t->sink.attributes, ATTRIBUTE_INTERRUPTED, 1));
  if (why == CLOSED_BY_END)
    sink_leave_with(&t->sink, time, frame->region);
  else
    leave(t, frame, time, why);
}

/* A carrier lets go of a virtual thread. */
static void close_virtual(struct timeline *t, const struct frame *frame, uint64_t time, enum closed why)
{
  if (frame->flags != 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint8(t->sink.attributes, ATTRIBUTE_ENDED, 1));
  if (why == CLOSED_BY_END)
    sink_leave_with(&t->sink, time, frame->region);
  else
    leave(t, frame, time, why);
}

/* A request that is open at the run's end names its lock, because no acquisition does. */
static void timeline_frames_add_lock(struct timeline *t, const struct frame *frame)
{
  uint32_t lock = lock_table_number(t->on->locks, t->location->process->index, frame->key);
  if (lock != LOCK_NONE)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_LOCK, lock));
}

void frame_close_top(struct timeline *t, uint64_t time, enum closed why)
{
  const struct frame *frame = &t->frames.items[--t->frames.count]; /* nothing below opens another one */
  t->open[frame->type]--;
  switch ((enum frame_type)frame->type) {
  case F_THREAD:
    if (why != CLOSED_BY_END) /* it lived on, or nobody knows */
      timeline_frames_add_reason(t, why);
    sink_thread_end(&t->sink, time, t->location->facts.pthread_number);
    break;
  case F_INITIAL:
    break;
  case F_PARALLEL:
    sink_join(&t->sink, time);
    leave(t, frame, time, why);
    timeline_region_done(t, frame->key);
    break;
  case F_TEAM:
    close_team(t, frame, time, why);
    break;
  case F_HOLD:
    leave(t, frame, time, why);
    sink_release(&t->sink, time, frame->mutex.acquisition.lock, frame->mutex.acquisition.order);
    break;
  case F_MUTEX:
    if (frame->mutex.acquired) /* an atomic */
      sink_release(&t->sink, time, frame->mutex.acquisition.lock, frame->mutex.acquisition.order);
    else if (why == CLOSED_KILLED || why == CLOSED_ENDED)
      timeline_frames_add_lock(t, frame);
    leave(t, frame, time, why);
    break;
  case F_BLOCK:
  case F_PTHREAD:
    close_block(t, frame, time, why);
    break;
  case F_VIRTUAL:
    close_virtual(t, frame, time, why);
    break;
  default:
    leave(t, frame, time, why);
  }
}

void timeline_stall(struct timeline *t, uint64_t from, uint64_t time)
{
  uint64_t code = 0;
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, C_TRACEFLUSH, &code, 0);
  sink_enter(&t->sink, from < time ? from : time, region);
  sink_leave(&t->sink, time, region);
  if (t->counts.stalls++ > 0 && from < time)
    t->counts.stalled += time - from;
}

/* Frames that end with the one they are part of. */
static bool is_part(const struct frame *frame)
{
  return frame->type == F_CHUNK || frame->type == F_SECTION || frame->type == F_SBLOCK || frame->type == F_PHASE;
}

void frames_close_to(struct timeline *t, uint32_t depth, uint64_t time, enum closed why)
{
  if (why == CLOSED_LOST && (t->attention & ATTEND_RESUMED) != 0)
    time = t->gap_end;
  while (t->frames.count > depth) {
    const struct frame *top = frame_top(t);
    bool cancelled = top->cancelled || (t->team != NO_FRAME && t->frames.items[t->team].cancelled);
    frame_close_top(t, time, is_part(top) ? CLOSED_BY_END : why == CLOSED_LOST && cancelled ? CLOSED_CANCELLED : why);
  }
}

uint32_t frame_find(const struct timeline *t, enum frame_type type)
{
  if (t->open[type] == 0)
    return NO_FRAME;
  uint32_t i = t->frames.count;
  while (t->frames.items[--i].type != type)
    ;
  return i;
}

uint32_t frame_find_outermost(const struct timeline *t, enum frame_type type)
{
  if (t->open[type] == 0)
    return NO_FRAME;
  uint32_t i = 0;
  while (t->frames.items[i].type != type)
    i++;
  return i;
}

uint32_t frame_find_key(const struct timeline *t, enum frame_type type, uint64_t key)
{
  if (t->open[type] == 0)
    return NO_FRAME;
  for (uint32_t i = t->frames.count; i-- > 0;)
    if (t->frames.items[i].type == type && t->frames.items[i].key == key)
      return i;
  return NO_FRAME;
}

uint32_t frame_find_detail(const struct timeline *t, enum frame_type type, unsigned detail)
{
  if (t->open[type] == 0)
    return NO_FRAME;
  uint32_t innermost = frame_find(t, type);
  for (uint32_t i = innermost + 1; i-- > 0;)
    if (t->frames.items[i].type == type && t->frames.items[i].detail == detail)
      return i;
  return innermost; /* some runtimes begin and end the same thing under two names */
}

void frame_end(struct timeline *t, enum frame_type type, uint32_t frame, uint64_t time)
{
  if (t->hidden[type] > 0) {
    t->hidden[type]--;
  } else if (frame == NO_FRAME) {
    t->counts.ends_unmatched++;
  } else {
    frames_close_to(t, frame + 1, time, CLOSED_LOST);
    frame_close_top(t, time, CLOSED_BY_END);
  }
}
