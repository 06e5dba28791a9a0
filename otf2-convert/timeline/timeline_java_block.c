/*
 * What a Java thread waits for. The place is often known only after the wait, so the begin is held back
 * until the thread's next record, which is the end except in rare cases.
 */
#include "otf2-convert/timeline/profile_row.h"
#include "otf2-convert/timeline/timeline_records.h"

/* A place in an attribute, as a region; nothing where it is unknown. */
static void add_place(struct timeline *t, enum attribute attribute, enum construct construct, uint64_t code)
{
  if (code == 0)
    return;
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, construct, &code, 0);
  archive_check(t->sink.archive, OTF2_AttributeList_AddRegionRef(t->sink.attributes, attribute, region));
}

static void add_owner(struct timeline *t)
{
  if (t->block.owner != 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_OWNER, t->block.owner));
  add_place(t, ATTRIBUTE_OWNER_PLACE, C_MONITOR_OWNER, t->block.owner_code);
}

static void add_callers(struct timeline *t)
{
  uint32_t callers = definitions_callers(t->on->definitions, t->location->process->index, t->block.code);
  if (callers != STRING_EMPTY)
    archive_check(t->sink.archive, OTF2_AttributeList_AddStringRef(t->sink.attributes, ATTRIBUTE_CALLERS, callers));
}

/* Enters the region of the wait whose begin was held back, as far as it is known now. */
static void enter_block(struct timeline *t)
{
  t->attention &= ~(unsigned)ATTEND_BLOCK;
  uint64_t code = t->block.code;
  uint32_t region = timeline_region(
      t, construct_of_block(t->on->definitions, t->location->process->index, t->block.kind, code, t->block.object),
      &code);
  struct frame *frame = frame_push(t, F_BLOCK, t->block.kind, region, code);
  if (frame != NULL) {
    frame->key = t->block.kind;
    add_object(t, t->block.object);
    add_owner(t);
    add_place(t, ATTRIBUTE_PINNED, C_PIN, t->block.pinned);
    add_callers(t);
    attend_weight(t, RAW_BLOCK_BEGIN);
    sink_enter_with(&t->sink, t->block.time, region);
  }
  if (t->block.stalled)
    timeline_stall(t, t->block.stall_begin, t->block.stall_end);
}

/* What was held back is no wait. */
static void leave_block_out(struct timeline *t)
{
  t->attention &= ~(unsigned)ATTEND_BLOCK;
  if (t->block.stalled)
    timeline_stall(t, t->block.stall_begin, t->block.stall_end);
}

bool show_java_waiting(struct timeline *t, uint64_t started, uint64_t time)
{
  uint32_t process = t->location->process->index;
  const struct java_waiting *waiting = java_waiting(&t->location->process->info.java, t->location->facts.java_id);
  if (waiting == NULL || waiting->kind == 0)
    return waiting != NULL;
  uint64_t code = waiting->place, until = process_time(t->location->process, waiting->until);
  enum construct construct = construct_of_block(t->on->definitions, process, waiting->kind, code, waiting->object);
  uint32_t region = timeline_region(t, construct, &code);
  add_object(t, waiting->object);
  sink_enter_with(&t->sink, started, region);
  sink_leave(&t->sink, until > started && until < time ? until : time, region);
  return true;
}

void take_block_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned kind = raw_detail_of(record[0]) & RAW_BLOCK_KIND;
  if (kind < RAW_BLOCK_ENTER || kind > RAW_BLOCK_LAST)
    return;
  t->block =
      (struct held_block){.kind = (uint8_t)kind, .time = time, .code = raw_value_of(record[0]), .object = record[2]};
  t->attention |= ATTEND_BLOCK;
}

void take_block_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned detail = raw_detail_of(record[0]), kind = detail & RAW_BLOCK_KIND;
  if (kind < RAW_BLOCK_ENTER || kind > RAW_BLOCK_LAST)
    return;
  uint32_t frame = frame_find_key(t, F_BLOCK, kind);
  if (frame != NO_FRAME && t->hidden[F_BLOCK] == 0)
    t->frames.items[frame].flags = (uint8_t)(detail & (RAW_BLOCK_TIMED_OUT | RAW_BLOCK_INTERRUPTED));
  if (frame == NO_FRAME || t->hidden[F_BLOCK] > 0 || (detail & RAW_BLOCK_UNMOUNTED) == 0) {
    frame_end(t, F_BLOCK, frame, time);
    return;
  }
  frames_close_to(t, frame + 1, time, CLOSED_LOST);
  frame_close_top(t, time, CLOSED_UNMOUNTED);
}

bool attend_block(struct timeline *t, const uint64_t *record, uint64_t time)
{
  switch (raw_kind_of(record[0])) {
  case RAW_BLOCK_OWNER:
    t->block.owner_code = raw_value_of(record[0]);
    t->block.owner = record[2];
    return true;
  case RAW_BLOCK_PINNED:
    t->block.pinned = raw_value_of(record[0]);
    return true;
  case RAW_STALL:
    if (t->block.stalled)
      break;
    t->block.stalled = true;
    t->block.stall_begin = process_time_before(t->location->process, record[2], time);
    t->block.stall_end = time;
    return true;
  case RAW_BLOCK_END:
    if ((raw_detail_of(record[0]) & RAW_BLOCK_KIND) != t->block.kind)
      break;
    if ((raw_detail_of(record[0]) & RAW_BLOCK_NONE) != 0) {
      leave_block_out(t);
      return true;
    }
    if (t->block.code == 0)
      t->block.code = raw_value_of(record[0]);
    if (record[2] != 0)
      t->block.object = record[2];
    break;
  default:
    break;
  }
  enter_block(t);
  return false;
}

/* Whether a line may be about the wait that has begun. A virtual thread's end is waited for in a park. */
static bool is_about_block(const struct timeline *t, const struct java_stuck *stuck)
{
  if (stuck->kind == RAW_BLOCK_JOIN && t->block.kind == RAW_BLOCK_PARK)
    return true;
  return stuck->kind == t->block.kind &&
         (t->block.object == 0 || stuck->object == 0 || t->block.object == stuck->object);
}

/* The begin of a wait that was held back, so that it may be left out, is unknown: then it is the time of the line. */
void finish_block(struct timeline *t, uint64_t last)
{
  const struct process *process = t->location->process;
  const struct thread_facts *facts = &t->location->facts;
  const struct java_stuck *stuck = facts->is_java ? java_stuck(&process->info.java, facts->java_id) : NULL;
  uint64_t time = stuck != NULL ? process_time(process, stuck->ticks) : 0;
  bool begun = (t->attention & ATTEND_BLOCK) != 0;
  if (stuck == NULL || time < (begun ? t->block.time : t->last_record) || (!begun && t->open[F_BLOCK] > 0) ||
      (begun && !is_about_block(t, stuck)) || stuck->kind < RAW_BLOCK_ENTER || stuck->kind > RAW_BLOCK_LAST)
    return;
  if (!begun)
    t->block = (struct held_block){.time = time < last ? time : last};
  t->block.kind = (uint8_t)stuck->kind;
  t->attention |= ATTEND_BLOCK;
  if (t->block.code == 0)
    t->block.code = stuck->place;
  if (stuck->object != 0)
    t->block.object = stuck->object;
  if (stuck->owner == 0)
    return;
  t->block.owner = stuck->owner;
  t->block.owner_code = stuck->owner_place;
}

bool timeline_is_virtual(const struct timeline *t)
{
  return t->location->facts.is_java && (t->location->facts.java_flags & RAW_JAVA_VIRTUAL) != 0;
}

/* The line about the wait: the first one of the thread since it began. */
static const struct java_stuck *stuck_since(const struct timeline *t, uint64_t started)
{
  const struct process *process = t->location->process;
  const struct java_stuck *found = NULL, *stuck = java_stuck(&process->info.java, t->location->facts.java_id);
  for (; stuck != NULL && process_time(process, stuck->ticks) >= started;
       stuck = java_stuck_before(&process->info.java, stuck))
    found = stuck;
  return found;
}

void show_virtual_wait(struct timeline *t, uint64_t started)
{
  const struct java_stuck *stuck = stuck_since(t, started);
  if (stuck == NULL || stuck->kind < RAW_BLOCK_ENTER || stuck->kind > RAW_BLOCK_LAST)
    return;
  t->block = (struct held_block){.kind = (uint8_t)stuck->kind,
                                 .time = started,
                                 .code = stuck->place,
                                 .object = stuck->object,
                                 .owner = stuck->owner,
                                 .owner_code = stuck->owner_place};
  enter_block(t);
}

void finish_virtual(struct timeline *t)
{
  const struct java_stuck *stuck = timeline_is_virtual(t) ? stuck_since(t, t->location->facts.java_started) : NULL;
  if (stuck == NULL || stuck->mounted == 0)
    return;
  uint64_t time = process_time(t->location->process, stuck->mounted);
  if (time < t->sink.last)
    time = t->sink.last;
  frame_end_innermost(t, F_BLOCK, time);
  frames_close_to(t, 0, time, CLOSED_UNMOUNTED);
}
