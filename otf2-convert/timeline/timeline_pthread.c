/* POSIX threads: waits for mutexes, conditions, semaphores, barriers and the end of threads; what wakes; creation. */
#include "otf2-convert/timeline/pthread_kinds.h"
#include "otf2-convert/timeline/timeline_records.h"

static enum construct construct_of_wait(unsigned kind)
{
  static const enum construct constructs[] = {
      [RAW_PTHREAD_MUTEX] = C_PTHREAD_MUTEX,         [RAW_PTHREAD_READ] = C_PTHREAD_READ,
      [RAW_PTHREAD_WRITE] = C_PTHREAD_WRITE,         [RAW_PTHREAD_SPIN] = C_PTHREAD_SPIN,
      [RAW_PTHREAD_CONDITION] = C_PTHREAD_CONDITION, [RAW_PTHREAD_SEMAPHORE] = C_PTHREAD_SEMAPHORE,
      [RAW_PTHREAD_BARRIER] = C_PTHREAD_BARRIER,     [RAW_PTHREAD_JOIN] = C_PTHREAD_JOIN};
  return constructs[kind];
}

static bool is_wait(unsigned kind)
{
  return kind >= RAW_PTHREAD_MUTEX && kind <= RAW_PTHREAD_JOIN;
}

void take_pthread_wait(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned kind = raw_detail_of(record[0]) & RAW_PTHREAD_KIND;
  struct acquisition object = next_acquisition(t);
  if (!is_wait(kind))
    return;
  timeline_number(t, ATTRIBUTE_OBJECT, object.lock);
  if (record[3] != 0 && kind != RAW_PTHREAD_CONDITION)
    timeline_number(t, kind == RAW_PTHREAD_JOIN ? ATTRIBUTE_THREAD : ATTRIBUTE_OWNER, record[3]);
  attend_weight(t, RAW_PTHREAD_WAIT);
  struct frame *frame = frame_enter(t, F_PTHREAD, kind, construct_of_wait(kind), raw_value_of(record[0]), time);
  if (frame == NULL)
    return;
  frame->key = record[2];
  frame->thread = kind == RAW_PTHREAD_JOIN ? record[3] : 0;
}

static void timeline_pthread_hold(struct timeline *t, uint64_t address, struct acquisition acquisition, uint64_t time)
{
  struct held_lock lock = {.wait_id = address, .acquisition = acquisition};
  sink_pthread_acquire(&t->sink, time, acquisition.lock, acquisition.order);
  if (t->mutexes.count >= FRAMES_MAX)
    t->mutexes.count = 0; /* nobody holds so many: releases were lost */
  if (!vector_push(&t->mutexes, lock))
    t->out_of_memory = true;
}

void take_pthread_waited(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned detail = raw_detail_of(record[0]), kind = detail & RAW_PTHREAD_KIND;
  bool acquires = pthread_acquires(detail);
  struct acquisition acquisition = acquires ? next_acquisition(t) : (struct acquisition){0};
  uint32_t at = frame_find_key(t, F_PTHREAD, record[2]);
  if (t->hidden[F_PTHREAD] == 0 && at != NO_FRAME) {
    frames_close_to(t, at + 1, time, CLOSED_LOST);
    struct frame *frame = &t->frames.items[at];
    frame->flags = (uint8_t)(((detail & RAW_PTHREAD_TIMED_OUT) != 0 ? RAW_BLOCK_TIMED_OUT : 0) |
                             ((detail & RAW_PTHREAD_FAILED) != 0 ? RAW_BLOCK_INTERRUPTED : 0));
    uint64_t number = kind == RAW_PTHREAD_JOIN && detail == RAW_PTHREAD_JOIN
                          ? threads_number(t->on->threads, t->location->process->index, frame->thread)
                          : 0;
    if (number != 0)
      sink_pthread_wait(&t->sink, time, number);
  }
  if (acquires)
    timeline_pthread_hold(t, record[2], acquisition, time);
  frame_end(t, F_PTHREAD, at, time);
}

void take_pthread_released(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t address = raw_value_of(record[0]);
  for (size_t i = t->mutexes.count; i-- > 0;)
    if ((t->mutexes.items[i].wait_id & RAW_VALUE_MASK) == address) {
      struct acquisition acquisition = t->mutexes.items[i].acquisition;
      for (size_t k = i + 1; k < t->mutexes.count; k++)
        t->mutexes.items[k - 1] = t->mutexes.items[k];
      t->mutexes.count--;
      sink_pthread_release(&t->sink, time, acquisition.lock, acquisition.order);
      return;
    }
  /* else its acquisition was lost */
}

void take_pthread_wake(struct timeline *t, const uint64_t *record, uint64_t time)
{
  static const enum construct constructs[] = {
      [RAW_PTHREAD_UNLOCK] = C_PTHREAD_UNLOCK,       [RAW_PTHREAD_SIGNAL] = C_PTHREAD_SIGNAL,
      [RAW_PTHREAD_BROADCAST] = C_PTHREAD_BROADCAST, [RAW_PTHREAD_POST] = C_PTHREAD_POST,
      [RAW_PTHREAD_ARRIVAL] = C_PTHREAD_ARRIVAL,     [RAW_PTHREAD_END] = C_PTHREAD_END};
  unsigned wake = raw_detail_of(record[0]);
  struct acquisition object = next_acquisition(t);
  if (wake < RAW_PTHREAD_UNLOCK || wake > RAW_PTHREAD_END)
    return;
  uint64_t code = raw_value_of(record[0]);
  uint32_t region = timeline_region(t, constructs[wake], &code);
  timeline_number(t, ATTRIBUTE_OBJECT, object.lock);
  attend_weight(t, RAW_PTHREAD_WAKE);
  sink_zero_length_with(&t->sink, time, region);
}

void take_pthread_count(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned detail = raw_detail_of(record[0]);
  uint64_t code = raw_value_of(record[0]);
  bool lock = (detail & RAW_PTHREAD_KIND) <= RAW_PTHREAD_SPIN;
  uint32_t region = timeline_region(t, lock ? C_PTHREAD_COUNT : C_PTHREAD_AT_ONCE, &code);
  if (record[2] != 0)
    timeline_number(t, ATTRIBUTE_OBJECT, next_acquisition(t).lock);
  timeline_number(t, (detail & RAW_PTHREAD_FAILED) != 0 ? ATTRIBUTE_FAILED_TRIES : ATTRIBUTE_UNCONTENDED, record[3]);
  sink_zero_length_with(&t->sink, time, region);
}

void take_pthread_held(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned detail = raw_detail_of(record[0]), kind = detail & RAW_PTHREAD_KIND;
  uint64_t code = raw_value_of(record[0]);
  struct acquisition acquisition = next_acquisition(t);
  if (kind < RAW_PTHREAD_MUTEX || kind > RAW_PTHREAD_SPIN)
    return;
  uint32_t region = timeline_region(t, C_PTHREAD_COUNT, &code);
  timeline_number(t, ATTRIBUTE_OBJECT, acquisition.lock);
  if ((detail & RAW_PTHREAD_AGAIN) == 0)
    timeline_number(t, ATTRIBUTE_UNCONTENDED, 1);
  if ((detail & RAW_PTHREAD_TRIED) != 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint8(t->sink.attributes, ATTRIBUTE_TRIED, 1));
  sink_enter_with(&t->sink, time, region);
  timeline_pthread_hold(t, record[2], acquisition, time);
  sink_leave(&t->sink, time, region);
}

void take_pthread_create(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = raw_value_of(record[0]);
  uint32_t region = timeline_region(t, C_PTHREAD_CREATE, &code);
  sink_enter(&t->sink, time, region);
  sink_pthread_create(&t->sink, time, record[2]);
  sink_leave(&t->sink, time, region);
}

void show_pthread_start(struct timeline *t, uint64_t created, uint64_t time)
{
  uint64_t code = t->location->facts.start_code;
  if (code != 0)
    code++; /* as if a call returned there: the function itself is the place */
  uint32_t region = timeline_region(t, C_PTHREAD_START, &code);
  sink_enter(&t->sink, created, region);
  sink_leave(&t->sink, time, region);
}
