/*
 * Table of the kinds of records, and records that belong to no subject: gaps, readings, counters.
 *
 * Threads read their time without a processor themselves. A reading follows the event at its time, because it belongs
 * to the construct that ends there. Events may come late and be written at an earlier time, so readings wait for them
 * and are summed up meanwhile.
 */
#include "otf2-convert/timeline/timeline_records.h"

static uint64_t sum_of(uint64_t a, uint64_t b)
{
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void hold_reading(struct timeline *t, const uint64_t *record, uint64_t time)
{
  struct held_reading *held = &t->reading;
  uint64_t passed = raw_value_of(record[0]) < record[1] ? raw_value_of(record[0]) : record[1];
  uint64_t since = process_time_before(t->location->process, record[1] - passed, time);
  if (!held->waits)
    *held = (struct held_reading){.waits = true, .since = since};
  if (since < held->since)
    held->since = since;
  held->time = time;
  held->undecided |= t->attention & ~(unsigned)(ATTEND_GC | ATTEND_RESUMED);
  held->off = sum_of(held->off, record[2]);
  held->ready = sum_of(held->ready, record[3] < record[2] ? record[3] : record[2]);
}

void show_reading(struct timeline *t, uint64_t time, bool last)
{
  struct held_reading *held = &t->reading;
  held->undecided &= t->attention;
  if (!last && (held->undecided != 0 || time <= held->time))
    return;
  uint64_t since = held->since < held->time ? held->time - held->since : 0;
  sink_metrics(&t->sink, held->time, (uint64_t[]){held->off, held->ready, since});
  t->counts.readings++;
  held->waits = false;
}

/*
 * Counters of the thread: Metric events of its process' class. They wait for late events, as readings do. A newer count
 * includes the older ones, so a full list loses nothing.
 */

void hold_counters(struct timeline *t, const uint64_t *record, uint64_t time)
{
  struct held_counters *list = t->counters;
  unsigned count = raw_detail_of(record[0]) < t->counter_count ? raw_detail_of(record[0]) : t->counter_count;
  if (count == 0)
    return;
  if (list == NULL && (list = t->counters = calloc(HELD_MAX, sizeof *list)) == NULL) {
    t->out_of_memory = true;
    return;
  }
  if (t->counters_held == HELD_MAX)
    t->counters_held--;
  struct held_counters *held = &list[t->counters_held++];
  held->time = time;
  held->undecided = t->attention & ~(unsigned)(ATTEND_GC | ATTEND_RESUMED);
  for (unsigned i = 0; i < t->counter_count; i++) {
    held->value[i] = i < count ? record[2 + i * RAW_EXTRA] : 0;
    if (i < count && record[3 + i * RAW_EXTRA] != 0)
      t->location->facts.counters_scaled |= 1u << i;
  }
}

void show_counters(struct timeline *t, uint64_t time, bool last)
{
  unsigned shown = 0;
  for (; shown < t->counters_held; shown++) {
    struct held_counters *held = &t->counters[shown];
    held->undecided &= t->attention;
    if (!last && (held->undecided != 0 || time <= held->time))
      break;
    sink_counters(&t->sink, held->time, t->location->process->counter_class, t->counter_count, held->value);
    t->counts.counters++;
  }
  t->counters_held -= shown;
  if (shown > 0)
    memmove(t->counters, t->counters + shown, t->counters_held * sizeof *t->counters);
}

/* Shows the time of the thread between its start and the record of its begin. */
static void show_start(struct timeline *t, uint64_t started, uint64_t time)
{
  bool is_java = t->location->facts.is_java;
  if (!is_java)
    show_pthread_start(t, started, time);
  else if (timeline_is_virtual(t))
    show_virtual_wait(t, started);
  else if (!show_java_waiting(t, started, time))
    show_java_start(t, started, time);
}

static void take_thread_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  const struct thread_facts *facts = &t->location->facts;
  uint64_t started = facts->is_java ? facts->java_started : facts->created;
  if (frame_push(t, F_THREAD, 0, REGION_NONE, 0) == NULL)
    return;
  bool late = started != 0 && t->sink.last <= started; /* it was started before it began to run */
  sink_thread_begin(&t->sink, late ? started : time, facts->pthread_number);
  if (late)
    show_start(t, started, time);
  if ((t->attention & ATTEND_GC) != 0)
    attend_gc(t, record, time);
}

static void take_thread_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)record;
  if (timeline_is_virtual(t)) /* the thread that reported it had no more to say */
    return;
  finish_profile(t, time);
  frame_end(t, F_THREAD, frame_find(t, F_THREAD), time);
}

static void timeline_records_take_stall(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (timeline_is_virtual(t)) /* it recorded the stall itself */
    return;
  uint64_t from = process_time_before(t->location->process, record[2], time);
  timeline_stall(t, from, time);
  note_stall(t, from < time ? time - from : 0, time);
}

/* Recording stopped and continued. Several records may report one gap, so the next other record writes its end. */
static void take_gap(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if ((t->attention & ATTEND_GAP) == 0) {
    uint64_t from = t->last_record; /* chunks are missing, from an unknown time on */
    if (raw_detail_of(record[0]) != RAW_GAP_MISSING)
      from = process_time_before(t->location->process, record[2], time);
    if (from < t->last_record) /* who switches measurement off does not wait for threads that are about to record */
      from = t->last_record;
    sink_measurement(&t->sink, from > time || t->last_record == 0 ? time : from, false);
    t->attention |= ATTEND_GAP;
  }
  t->gap_end = time;
}

void attend_gap(struct timeline *t, const uint64_t *record)
{
  if (raw_kind_of(record[0]) == RAW_GAP)
    return;
  t->attention ^= ATTEND_GAP | ATTEND_RESUMED;
  sink_measurement(&t->sink, t->gap_end, true);
  if (t->regions_over)
    frames_close_to(t, frame_find_outermost(t, F_PARALLEL), t->gap_end, CLOSED_LOST);
  t->regions_over = false;
}

static void take_masked_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_enter(t, F_MASKED, 0, C_MASKED, raw_value_of(record[0]), time);
}

static void take_masked_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)record;
  frame_end_innermost(t, F_MASKED, time);
}

static void take_reduction_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_enter(t, F_REDUCTION, 0, C_REDUCTION, raw_value_of(record[0]), time);
}

static void take_reduction_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)record;
  frame_end_innermost(t, F_REDUCTION, time);
}

static void take_flush(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = raw_value_of(record[0]);
  sink_zero_length(&t->sink, time, timeline_region(t, C_FLUSH, &code));
}

static void take_error(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = raw_value_of(record[0]);
  sink_zero_length(&t->sink, time, timeline_region(t, C_ERROR, &code));
}

static void take_control(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = 0;
  uint32_t region = timeline_region(t, C_CONTROL_TOOL, &code);
  archive_check(t->sink.archive,
                OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_COMMAND, raw_value_of(record[0])));
  archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_MODIFIER, record[2]));
  sink_zero_length_with(&t->sink, time, region);
}

void take_record(struct timeline *t, const uint64_t *record, uint64_t time)
{
  static record_taker *const takers[256] = {
      [RAW_THREAD_BEGIN] = take_thread_begin,
      [RAW_THREAD_END] = take_thread_end,
      [RAW_STALL] = timeline_records_take_stall,
      [RAW_GAP] = take_gap,
      [RAW_PARALLEL_BEGIN] = take_parallel_begin,
      [RAW_PARALLEL_END] = take_parallel_end,
      [RAW_IMPLICIT_BEGIN] = take_implicit_begin,
      [RAW_IMPLICIT_END] = take_implicit_end,
      [RAW_WORK_BEGIN] = take_work_begin,
      [RAW_WORK_END] = take_work_end,
      [RAW_CHUNK] = take_chunk,
      [RAW_CHUNK_WIDE] = take_chunk,
      [RAW_CHUNKS] = take_chunk,
      [RAW_SECTION] = take_section,
      [RAW_SYNC_BEGIN] = take_sync_begin,
      [RAW_SYNC_END] = take_sync_end,
      [RAW_WAIT_BEGIN] = take_wait_begin,
      [RAW_WAIT_END] = take_wait_end,
      [RAW_REDUCTION_BEGIN] = take_reduction_begin,
      [RAW_REDUCTION_END] = take_reduction_end,
      [RAW_MUTEX_ACQUIRE] = take_mutex_acquire,
      [RAW_MUTEX_ACQUIRED] = take_mutex_acquired,
      [RAW_MUTEX_RELEASED] = take_mutex_released,
      [RAW_NEST_BEGIN] = take_nest_begin,
      [RAW_MASKED_BEGIN] = take_masked_begin,
      [RAW_MASKED_END] = take_masked_end,
      [RAW_TASK_CREATE] = take_task_create,
      [RAW_TASK_SWITCH] = take_task_switch,
      [RAW_TASK_STATUS] = take_task_status,
      [RAW_CANCEL] = take_cancel,
      [RAW_FLUSH] = take_flush,
      [RAW_CONTROL] = take_control,
      [RAW_ERROR] = take_error,
      [RAW_DOACROSS] = take_doacross,
      [RAW_DOACROSS_WAIT] = take_doacross_wait,
      [RAW_OMITTED] = take_omitted,
      [RAW_WEIGHT] = take_weight,
      [RAW_COUNTED] = take_counted,
      [RAW_COUNTED_OF] = take_counted_of,
      [RAW_PROFILE_THREAD] = take_profile_thread,
      [RAW_PROFILE_ROW] = take_profile_row,
      [RAW_PROFILE_TEAM_ROW] = take_profile_row,
      [RAW_PROFILE_METRIC] = take_profile_metric,
      [RAW_JAVA_START] = take_java_start,
      [RAW_BLOCK_BEGIN] = take_block_begin,
      [RAW_BLOCK_END] = take_block_end,
      [RAW_JAVA_NOTE] = take_java_note,
      [RAW_SPIN] = take_spin,
      [RAW_GC_BEGIN] = take_gc_begin,
      [RAW_GC_END] = take_gc_end,
      [RAW_VIRTUAL_MOUNT] = take_virtual_mount,
      [RAW_VIRTUAL_UNMOUNT] = take_virtual_unmount,
      [RAW_PTHREAD_WAIT] = take_pthread_wait,
      [RAW_PTHREAD_WAITED] = take_pthread_waited,
      [RAW_PTHREAD_WAKE] = take_pthread_wake,
      [RAW_PTHREAD_RELEASED] = take_pthread_released,
      [RAW_PTHREAD_COUNT] = take_pthread_count,
      [RAW_PTHREAD_HELD] = take_pthread_held,
      [RAW_PTHREAD_CREATE] = take_pthread_create,
      [RAW_USER_ENTER] = take_user_enter,
      [RAW_USER_LEAVE] = take_user_leave,
      [RAW_USER_PHASE] = take_user_phase,
      [RAW_USER_EVENT] = take_user_event,
      [RAW_CALL_ENTER] = take_call_enter,
      [RAW_CALL_LEAVE] = take_call_leave,
  };
  record_taker *taker = takers[raw_kind_of(record[0])];
  if (taker != NULL)
    taker(t, record, time);
}
