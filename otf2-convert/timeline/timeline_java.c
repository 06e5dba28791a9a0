/*
 * Java threads: start, garbage collection, virtual threads, yielding, effects on other threads, and waits: monitors,
 * Object.wait, parks, sleeps, joins.
 */
#include "base/count_of.h"
#include "otf2-convert/timeline/profile_rows.h"
#include "otf2-convert/timeline/timeline_records.h"

static void timeline_java_add_number(struct timeline *t, enum attribute attribute, uint64_t number)
{
  archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, attribute, number));
}

void show_java_start(struct timeline *t, uint64_t started, uint64_t time)
{
  uint64_t code = 0;
  uint32_t region = timeline_region(t, C_THREAD_START, &code);
  sink_enter(&t->sink, started, region);
  sink_leave(&t->sink, time, region);
}

void add_object(struct timeline *t, uint64_t object)
{
  if (object == 0)
    return;
  uint32_t name = definitions_java_object(t->on->definitions, t->location->process->index, object);
  if (name != STRING_EMPTY)
    archive_check(t->sink.archive, OTF2_AttributeList_AddStringRef(t->sink.attributes, ATTRIBUTE_OBJECT_CLASS, name));
  timeline_java_add_number(t, ATTRIBUTE_OBJECT, object & UINT32_MAX);
}

void take_java_start(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = raw_value_of(record[0]);
  uint32_t region = timeline_region(t, C_START_THREAD, &code);
  timeline_java_add_number(t, raw_detail_of(record[0]) == 1 ? ATTRIBUTE_VIRTUAL_THREAD : ATTRIBUTE_THREAD, record[2]);
  sink_zero_length_with(&t->sink, time, region);
}

enum construct construct_of_note(unsigned note)
{
  static const enum construct constructs[] = {[RAW_NOTE_NOTIFY] = C_NOTIFY,
                                              [RAW_NOTE_NOTIFY_ALL] = C_NOTIFY_ALL,
                                              [RAW_NOTE_INTERRUPT] = C_INTERRUPT,
                                              [RAW_NOTE_UNPARK] = C_UNPARK};
  return note < COUNT_OF(constructs) && note > 0 ? constructs[note] : C_UNPARK;
}

void take_java_note(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned note = raw_detail_of(record[0]);
  if (note < RAW_NOTE_NOTIFY || note > RAW_NOTE_UNPARK)
    return;
  uint64_t code = raw_value_of(record[0]);
  uint32_t region = timeline_region(t, construct_of_note(note), &code);
  if (note == RAW_NOTE_NOTIFY || note == RAW_NOTE_NOTIFY_ALL)
    add_object(t, record[2]);
  else if (record[2] != 0)
    timeline_java_add_number(t, ATTRIBUTE_THREAD, record[2]);
  attend_weight(t, RAW_JAVA_NOTE);
  sink_zero_length_with(&t->sink, time, region);
}

/* A burst of yields is one record at its end; nothing else happened in it. */
void take_spin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = raw_value_of(record[0]), from = process_time_before(t->location->process, record[2], time);
  uint32_t region = timeline_region(t, C_YIELD, &code);
  timeline_java_add_number(t, ATTRIBUTE_YIELDS, record[3]);
  sink_enter_with(&t->sink, from < time ? from : time, region);
  sink_leave(&t->sink, time, region);
}

void take_gc_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)record;
  frame_enter(t, F_GC, 0, C_GC, 0, time);
}

void take_gc_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)record;
  frame_end_innermost(t, F_GC, time);
}

/* A virtual thread that blocks may leave its carrier: then the carrier is not blocked any more. */
static void end_virtual_thread(struct timeline *t, bool ended, uint64_t time)
{
  uint32_t frame = frame_find(t, F_VIRTUAL);
  if (frame != NO_FRAME)
    t->frames.items[frame].flags = ended;
  while (frame != NO_FRAME && t->frames.count > frame + 1 && frame_top(t)->type == F_BLOCK)
    frame_close_top(t, time, CLOSED_UNMOUNTED);
  frame_end(t, F_VIRTUAL, frame, time);
}

void take_virtual_mount(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (t->open[F_VIRTUAL] > 0)
    end_virtual_thread(t, false, time);
  uint64_t code = 0;
  uint32_t region = timeline_region(t, C_VIRTUAL_THREAD, &code);
  if (frame_push(t, F_VIRTUAL, 0, region, code) == NULL)
    return;
  timeline_java_add_number(t, ATTRIBUTE_VIRTUAL_THREAD, record[2]);
  sink_enter_with(&t->sink, time, region);
}

void take_virtual_unmount(struct timeline *t, const uint64_t *record, uint64_t time)
{
  end_virtual_thread(t, raw_detail_of(record[0]) == 1, time);
}

/* True if the thread runs, so that a pause stops it. */
static bool is_running(const struct timeline *t)
{
  if (t->open[F_THREAD] == 0 || t->open[F_BLOCK] > 0 || t->open[F_GC] > 0 || (t->attention & ATTEND_BLOCK) != 0)
    return false;
  unsigned top = t->frames.items[t->frames.count - 1].type;
  return top != F_WAIT && top != F_MUTEX;
}

static void show_pause(struct timeline *t, struct gc_pause pause, uint64_t until)
{
  uint64_t from = pause.begin > t->sink.last ? pause.begin : t->sink.last;
  uint64_t to = pause.end < until ? pause.end : until;
  if (pause.begin < t->last_record || from >= to || !is_running(t))
    return;
  uint64_t code = 0;
  bool collects = pause.operation == GC_PAUSE_COLLECTION;
  uint32_t region = definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index,
                                       collects ? C_GC : C_SAFEPOINT, &code, 0);
  if (!collects)
    archive_check(t->sink.archive,
                  OTF2_AttributeList_AddStringRef(t->sink.attributes, ATTRIBUTE_OPERATION, pause.operation));
  sink_enter_with(&t->sink, from, region);
  sink_leave(&t->sink, to, region);
}

/* The JVM's log knows the end of a stall to a millionth of a second, and the thread's records may come in between. */
static void show_stall(struct timeline *t, const struct jvm_stall *stall, uint64_t until)
{
  uint64_t from = stall->begin > t->last_record ? stall->begin : t->last_record;
  uint64_t to = stall->end < until ? stall->end : until;
  from = from > t->sink.last ? from : t->sink.last;
  if (from >= to || !is_running(t))
    return;
  uint64_t code = 0;
  uint32_t region = definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index,
                                       C_ALLOCATION_STALL, &code, 0);
  sink_enter(&t->sink, from, region);
  sink_leave(&t->sink, to, region);
}

/* Shows the stalls that ended up to `until`. Returns the end of the stall that the thread is in then; 0: in none. `now`
 * shows what of it is before. */
static uint64_t show_stalls(struct timeline *t, uint64_t until, bool now)
{
  for (; t->stalls_passed < t->stall_count && t->stalls[t->stalls_passed].end <= until; t->stalls_passed++)
    show_stall(t, &t->stalls[t->stalls_passed], until);
  if (t->stalls_passed == t->stall_count || t->stalls[t->stalls_passed].begin >= until)
    return 0;
  if (now)
    show_stall(t, &t->stalls[t->stalls_passed], until);
  return t->stalls[t->stalls_passed].end;
}

/* A stalled thread is stopped from the end of its stall on. */
static void pass_pause(struct timeline *t, struct gc_pause pause, uint64_t until)
{
  uint64_t stalled = show_stalls(t, pause.begin, false);
  if (stalled != 0 && stalled < until && stalled < pause.end)
    show_stalls(t, pause.begin = stalled, false);
  if (stalled == 0 || pause.begin == stalled)
    show_pause(t, pause, until);
  t->pauses_passed++;
}

/* Returns the next pause that the thread has not passed; NULL: none is known. */
static const struct gc_pause *next_pause(struct timeline *t)
{
  const struct gc_pauses *pauses = &t->on->pauses[t->location->process->index];
  if (t->pauses_passed < pauses->dropped)
    t->pauses_passed = pauses->dropped;
  return t->pauses_passed < gc_pauses_end(pauses) ? &pauses->list.items[t->pauses_passed - pauses->dropped] : NULL;
}

void attend_gc(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (t->open[F_THREAD] == 0) /* its begin may be reported late: take_thread_begin() */
    return;
  const struct gc_pause *pause;
  unsigned kind = raw_kind_of(record[0]);
  if (kind == RAW_SPIN || kind == RAW_STALL || kind == RAW_GAP) { /* they report the time before them */
    uint64_t from = process_time_before(t->location->process, record[2], time);
    time = from < time ? from : time;
  }
  while ((pause = next_pause(t)) != NULL && pause->begin < time)
    pass_pause(t, *pause, time);
  show_stalls(t, time, true);
}

void finish_gc(struct timeline *t, uint64_t until)
{
  const struct gc_pause *pause;
  while ((pause = next_pause(t)) != NULL && pause->end <= until)
    pass_pause(t, *pause, until);
  if (until != UINT64_MAX) /* else: finish_stalls() */
    show_stalls(t, until, false);
}

void finish_stalls(struct timeline *t, uint64_t last)
{
  show_stalls(t, last, true);
}

/*
 * Waits. The place is often known only after the wait, so its begin is held until the thread's next record, which is
 * mostly its end.
 */

/* Adds a place as an attribute, in the form of a region; an unknown one is omitted. */
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

/* Enters the region of the held wait, with what is known now. */
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

/* Drops the held begin: it is no wait. */
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

/* True if a line may be about the wait that has begun. A virtual thread's end is waited for in a park. */
static bool is_about_block(const struct timeline *t, const struct java_stuck *stuck)
{
  if (stuck->kind == RAW_BLOCK_JOIN && t->block.kind == RAW_BLOCK_PARK)
    return true;
  return stuck->kind == t->block.kind &&
         (t->block.object == 0 || stuck->object == 0 || t->block.object == stuck->object);
}

/* The newest line about the thread up to a time; NULL: none. */
static const struct java_stuck *stuck_up_to(const struct timeline *t, uint64_t time)
{
  const struct process *process = t->location->process;
  const struct java_stuck *stuck = java_stuck(&process->info.java, t->location->facts.java_id);
  while (stuck != NULL && process_time(process, stuck->ticks) > time)
    stuck = java_stuck_before(&process->info.java, stuck);
  return stuck;
}

const void *class_wait_in(const struct timeline *t, const struct off_time *off)
{
  const struct java_stuck *stuck =
      t->location->facts.is_java && !off->ready && off->end != UINT64_MAX ? stuck_up_to(t, off->end) : NULL;
  bool is_in = stuck != NULL && process_time(t->location->process, stuck->ticks) >= off->begin;
  return is_in && stuck->kind == RAW_BLOCK_CLASS ? stuck : NULL;
}

void show_class_wait(void *of, const void *line, uint64_t time, bool begins)
{
  struct timeline *t = of;
  const struct java_stuck *stuck = line;
  uint64_t code = stuck->place;
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, C_CLASS_INIT, &code, 0);
  if (!begins) {
    archive_check(t->sink.archive, OTF2_EvtWriter_Leave(t->sink.writer, NULL, time, region));
    return;
  }
  OTF2_AttributeList *of_next = t->sink.attributes; /* of the event that this one is before */
  struct held_block block = t->block;
  t->sink.attributes = OTF2_AttributeList_New();
  t->block = (struct held_block){.owner = stuck->owner, .owner_code = stuck->owner_place, .code = stuck->place};
  add_object(t, stuck->object);
  add_owner(t);
  add_callers(t);
  archive_check(t->sink.archive, OTF2_EvtWriter_Enter(t->sink.writer, t->sink.attributes, time, region));
  OTF2_AttributeList_Delete(t->sink.attributes);
  t->sink.attributes = of_next;
  t->block = block;
}

/* When a wait for a class began that has no end: with the time without a processor in which its line is. */
static uint64_t class_wait_began(const struct timeline *t, uint64_t time)
{
  for (size_t i = t->sink.off.next; i < t->sink.off.count; i++)
    if (t->sink.off.times[i].begin <= time && time < t->sink.off.times[i].end)
      return t->sink.off.times[i].begin;
  return time;
}

/* A wait's begin that was held back, so that the wait may be ignored, is unknown: then it is the time of the line. */
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
  if (!begun && stuck->kind == RAW_BLOCK_CLASS)
    t->block.time = class_wait_began(t, t->block.time);
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
