/*
 * Synchronization. OpenMP: barriers, taskwait, taskgroup; critical, ordered, atomic and locks. POSIX threads: waits for
 * mutexes, conditions, semaphores, barriers and ends of threads; wakes; creation.
 */
#include "otf2-convert/timeline/record_details.h"
#include "otf2-convert/timeline/timeline_records.h"

static bool ends_worksharing(unsigned sync)
{
  return sync == SYNC_BARRIER || sync == SYNC_BARRIER_IMPLICIT || sync == SYNC_BARRIER_EXPLICIT ||
         sync == SYNC_BARRIER_IMPLICIT_WORKSHARE || sync == SYNC_BARRIER_IMPLICIT_PARALLEL;
}

void take_sync_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned sync = raw_detail_of(record[0]);
  if (t->open[F_WORK] > 0 && ends_worksharing(sync))
    close_cancelled_work(t, time);
  /* The barrier at a construct's end is called where its last statement is: it is the construct's. */
  uint64_t code = raw_value_of(record[0]);
  if (t->work_ended != 0 && sync == SYNC_BARRIER_IMPLICIT_WORKSHARE)
    code = t->work_ended;
  t->work_ended = 0;
  frame_enter(t, F_SYNC, sync, construct_of_sync(sync), code, time);
}

void take_sync_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_end(t, F_SYNC, frame_find_detail(t, F_SYNC, raw_detail_of(record[0])), time);
}

void take_wait_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned sync = raw_detail_of(record[0]);
  struct frame *frame = frame_enter(t, F_WAIT, sync, construct_of_sync_wait(sync), 0, time);
  if (frame == NULL)
    return;
  frame->wait.begin = t->sink.last;
  if ((sync == SYNC_BARRIER_IMPLICIT_PARALLEL || sync == SYNC_BARRIER_IMPLICIT || sync == SYNC_BARRIER_TEAMS) &&
      t->team != NO_FRAME && t->frames.items[t->team].team.index > 0)
    t->attention |= ATTEND_BARRIER;
}

void take_wait_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_end(t, F_WAIT, frame_find_detail(t, F_WAIT, raw_detail_of(record[0])), time);
}

static bool is_test(unsigned mutex)
{
  return mutex == MUTEX_TEST_LOCK || mutex == MUTEX_TEST_NEST_LOCK;
}

struct acquisition next_acquisition(struct timeline *t)
{
  return t->acquired_next < t->acquired->count ? t->acquired->items[t->acquired_next++] : (struct acquisition){0};
}

/* A thread has acquired a monitor. It may hold it already: only the first acquisition counts. */
static void take_monitor(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t wait_id = raw_value_of(record[0]), code = record[2] & RAW_VALUE_MASK;
  struct held_monitor monitor = {.wait_id = wait_id, .acquisition = next_acquisition(t)};
  if (t->monitors.count >= FRAMES_MAX) {
    t->hidden_monitors++;
    return;
  }
  for (size_t i = t->monitors.count; i-- > 0 && !monitor.again;)
    monitor.again = t->monitors.items[i].wait_id == wait_id;
  if (!vector_push(&t->monitors, monitor)) {
    t->out_of_memory = true;
    return;
  }
  if (monitor.again)
    return;
  uint32_t region = timeline_region(t, C_MONITOR_HELD, &code);
  add_object(t, wait_id & (RAW_CODE_PLACE - 1));
  sink_zero_length_with(&t->sink, time, region);
  sink_acquire(&t->sink, time, monitor.acquisition.lock, monitor.acquisition.order);
}

/* Releases the monitors from a position on in the order of acquisition. */
static void release_monitors_from(struct timeline *t, size_t at, uint64_t time)
{
  while (t->monitors.count > at) {
    struct held_monitor monitor = t->monitors.items[--t->monitors.count];
    if (!monitor.again)
      sink_release(&t->sink, time, monitor.acquisition.lock, monitor.acquisition.order);
  }
}

/* Monitors are released in reverse order: those above it were released, too, without a record. */
static void release_monitor(struct timeline *t, uint64_t wait_id, uint64_t time)
{
  size_t at = t->monitors.count;
  if (wait_id == RAW_MONITOR_ALL) {
    t->hidden_monitors = 0;
    release_monitors_from(t, 0, time);
    return;
  }
  if (t->hidden_monitors > 0) {
    t->hidden_monitors--;
    return;
  }
  while (at > 0 && t->monitors.items[at - 1].wait_id != wait_id)
    at--;
  if (at > 0)
    release_monitors_from(t, at - 1, time);
}

void take_mutex_acquire(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned mutex = raw_detail_of(record[0]);
  if (mutex == RAW_MUTEX_MONITOR) {
    take_monitor(t, record, time);
    return;
  }
  attend_weight(t, RAW_MUTEX_ACQUIRE);
  struct frame *frame = frame_enter(t, F_MUTEX, mutex, construct_of_mutex(mutex), record[2] & RAW_VALUE_MASK, time);
  if (frame == NULL)
    return;
  frame->key = raw_value_of(record[0]);
  if (is_test(mutex))
    t->attention |= ATTEND_TEST;
}

/* Inside a construct that holds its mutex. */
static void begin_hold(struct timeline *t, uint32_t request, enum construct construct, struct acquisition acquisition,
                       uint64_t wait_id, uint64_t time)
{
  if (request != NO_FRAME)
    frames_close_to(t, request + 1, time, CLOSED_LOST);
  sink_acquire(&t->sink, time, acquisition.lock, acquisition.order);
  struct frame *frame = frame_enter(t, F_HOLD, 0, construct, 0, time);
  if (frame == NULL) {
    sink_release(&t->sink, time, acquisition.lock, acquisition.order);
    return;
  }
  frame->key = wait_id;
  frame->mutex.acquisition = acquisition;
}

void take_mutex_acquired(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned mutex = raw_detail_of(record[0]);
  uint64_t wait_id = raw_value_of(record[0]);
  struct acquisition acquisition = next_acquisition(t);
  const struct frame *top = frame_top(t);
  uint32_t request = top != NULL && top->type == F_MUTEX && top->key == wait_id ? t->frames.count - 1
                                                                                : frame_find_key(t, F_MUTEX, wait_id);
  if (t->hidden[F_MUTEX] > 0 && request == NO_FRAME && mutex < MUTEX_CRITICAL)
    t->hidden[F_MUTEX]--;
  if (mutex == MUTEX_CRITICAL || mutex == MUTEX_ORDERED) {
    begin_hold(t, request, mutex == MUTEX_CRITICAL ? C_CRITICAL_SBLOCK : C_ORDERED_SBLOCK, acquisition, wait_id, time);
    return;
  }
  if (mutex == MUTEX_ATOMIC && request != NO_FRAME) {
    frames_close_to(t, request + 1, time, CLOSED_LOST);
    t->frames.items[request].mutex.acquisition = acquisition;
    t->frames.items[request].mutex.acquired = true;
    sink_acquire(&t->sink, time, acquisition.lock, acquisition.order);
    return;
  }
  if (request != NO_FRAME) {
    frames_close_to(t, request + 1, time, CLOSED_LOST);
    frame_close_top(t, time, CLOSED_BY_END);
  }
  sink_acquire(&t->sink, time, acquisition.lock, acquisition.order);
  struct held_lock lock = {.wait_id = wait_id, .acquisition = acquisition};
  if (t->locks.count >= FRAMES_MAX)
    t->locks.count = 0; /* nobody holds so many: releases were lost */
  if (!vector_push(&t->locks, lock))
    t->out_of_memory = true;
}

static bool release_lock(struct timeline *t, uint64_t wait_id, uint64_t time)
{
  for (size_t i = t->locks.count; i-- > 0;)
    if (t->locks.items[i].wait_id == wait_id) {
      struct acquisition acquisition = t->locks.items[i].acquisition;
      for (size_t k = i + 1; k < t->locks.count; k++)
        t->locks.items[k - 1] = t->locks.items[k];
      t->locks.count--;
      sink_release(&t->sink, time, acquisition.lock, acquisition.order);
      return true;
    }
  return false;
}

void take_mutex_released(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t wait_id = raw_value_of(record[0]);
  if (raw_detail_of(record[0]) == RAW_MUTEX_MONITOR) {
    release_monitor(t, wait_id, time);
    return;
  }
  if (t->locks.count > 0 && release_lock(t, wait_id, time))
    return;
  uint32_t hold = frame_find_key(t, F_HOLD, wait_id);
  if (hold != NO_FRAME) {
    frame_end(t, F_HOLD, hold, time);
  } else if (t->hidden[F_HOLD] > 0) {
    t->hidden[F_HOLD]--;
    if (t->hidden[F_MUTEX] > 0)
      t->hidden[F_MUTEX]--;
    return;
  }
  uint32_t request = frame_find_key(t, F_MUTEX, wait_id);
  if (request != NO_FRAME)
    frame_end(t, F_MUTEX, request, time);
  else if (hold == NO_FRAME)
    t->counts.ends_unmatched++;
}

/* The thread held the nest lock already. */
void take_nest_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint32_t request = frame_find_key(t, F_MUTEX, raw_value_of(record[0]));
  if (request != NO_FRAME)
    frame_end(t, F_MUTEX, request, time);
}

/* A test of a lock has no more events when it failed: the next record shows whether it did. */
void attend_test(struct timeline *t, const uint64_t *record)
{
  unsigned kind = raw_kind_of(record[0]);
  if (kind == RAW_STALL)
    return;
  t->attention &= ~(unsigned)ATTEND_TEST;
  const struct frame *top = frame_top(t);
  if (top == NULL || top->type != F_MUTEX || !is_test(top->detail))
    return;
  bool got_it = (kind == RAW_MUTEX_ACQUIRED || kind == RAW_NEST_BEGIN) && raw_value_of(record[0]) == top->key;
  if (!got_it)
    frame_close_top(t, t->sink.last, CLOSED_BY_END);
}

void take_doacross_wait(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_enter(t, F_DOACROSS, 0, C_DOACROSS_SINK, raw_value_of(record[0]), time);
}

/*
 * A post, or the end of a wait. If the wait's begin was not reported, only a bound is known: it was not before the
 * thread's last record.
 */
void take_doacross(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (raw_detail_of(record[0]) == 0)
    return;
  bool post = record[2] == DEPEND_SOURCE;
  if (!post && (t->open[F_DOACROSS] > 0 || t->hidden[F_DOACROSS] > 0)) {
    frame_end_innermost(t, F_DOACROSS, time);
    return;
  }
  uint64_t code = 0;
  uint32_t region = timeline_region(t, post ? C_DOACROSS_SOURCE : C_DOACROSS_SINK, &code);
  sink_zero_length(&t->sink, time, region);
  if (post)
    return;
  t->counts.sinks_not_measured++;
  t->counts.sinks_at_most += time - t->last_of_program;
}

static enum construct construct_of_wait(unsigned kind)
{
  static const enum construct constructs[] = {
      [RAW_PTHREAD_MUTEX] = C_PTHREAD_MUTEX,         [RAW_PTHREAD_READ] = C_PTHREAD_READ,
      [RAW_PTHREAD_WRITE] = C_PTHREAD_WRITE,         [RAW_PTHREAD_SPIN] = C_PTHREAD_SPIN,
      [RAW_PTHREAD_CONDITION] = C_PTHREAD_CONDITION, [RAW_PTHREAD_SEMAPHORE] = C_PTHREAD_SEMAPHORE,
      [RAW_PTHREAD_BARRIER] = C_PTHREAD_BARRIER,     [RAW_PTHREAD_JOIN] = C_PTHREAD_JOIN,
      [RAW_PTHREAD_ATOMIC] = C_PTHREAD_ATOMIC};
  return constructs[kind];
}

static bool is_wait(unsigned kind)
{
  return kind >= RAW_PTHREAD_MUTEX && kind <= RAW_PTHREAD_ATOMIC;
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
      [RAW_PTHREAD_UNLOCK] = C_PTHREAD_UNLOCK,         [RAW_PTHREAD_SIGNAL] = C_PTHREAD_SIGNAL,
      [RAW_PTHREAD_BROADCAST] = C_PTHREAD_BROADCAST,   [RAW_PTHREAD_POST] = C_PTHREAD_POST,
      [RAW_PTHREAD_ARRIVAL] = C_PTHREAD_ARRIVAL,       [RAW_PTHREAD_END] = C_PTHREAD_END,
      [RAW_PTHREAD_NOTIFY_ONE] = C_PTHREAD_NOTIFY_ONE, [RAW_PTHREAD_NOTIFY_ALL] = C_PTHREAD_NOTIFY_ALL};
  unsigned wake = raw_detail_of(record[0]);
  struct acquisition object = next_acquisition(t);
  if (wake < RAW_PTHREAD_UNLOCK || wake > RAW_PTHREAD_NOTIFY_ALL)
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
