#include "otf2-convert/timeline_frames.h"

#include <errno.h>

struct timeline *timeline_new(const struct conversion *conversion, struct location *location)
{
  struct timeline *t = calloc(1, sizeof *t);
  if (t == NULL)
    return NULL;
  t->on = conversion;
  t->location = location;
  t->team = NO_FRAME;
  t->sink.archive = conversion->archive;
  return t;
}

void timeline_free(struct timeline *t)
{
  if (t == NULL)
    return;
  free(t->frames);
  free(t->held);
  vector_free(&t->locks);
  free(t);
}

uint64_t timeline_events(const struct timeline *t)
{
  return archive_events(t->sink.archive, t->sink.writer);
}

struct timeline_counts timeline_counts(const struct timeline *t)
{
  return t->counts;
}

static void take_thread_begin(struct timeline *t, uint64_t time)
{
  if (frame_push(t, F_THREAD, 0, REGION_NONE, 0) != NULL)
    sink_thread_begin(&t->sink, time);
}

static void take_stall(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = 0, from = process_time(t->location->process, record[2]);
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, C_TRACEFLUSH, &code, 0);
  sink_enter(&t->sink, from < time ? from : time, region);
  sink_leave(&t->sink, time, region);
}

/* Recording stopped and went on. Several records may tell of one gap, so its end is written with the next other record.
 */
static void take_gap(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if ((t->attention & ATTEND_GAP) == 0) {
    uint64_t from = t->last_record; /* chunks are missing: since when is not known */
    if (raw_detail_of(record[0]) != RAW_GAP_MISSING)
      from = process_time(t->location->process, record[2]);
    sink_measurement(&t->sink, from > time || t->last_record == 0 ? time : from, false);
    t->attention |= ATTEND_GAP;
  }
  t->gap_end = time;
}

static void zero_length_at(struct timeline *t, enum construct construct, uint64_t code, uint64_t time)
{
  sink_zero_length(&t->sink, time, timeline_region(t, construct, &code));
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

void timeline_record(struct timeline *t, const uint64_t *record, uint64_t time)
{
  switch (raw_kind_of(record[0])) {
  case RAW_THREAD_BEGIN:
    take_thread_begin(t, time);
    break;
  case RAW_THREAD_END:
    frame_end(t, F_THREAD, frame_find(t, F_THREAD), time);
    break;
  case RAW_STALL:
    take_stall(t, record, time);
    break;
  case RAW_GAP:
    take_gap(t, record, time);
    break;
  case RAW_PARALLEL_BEGIN:
    take_parallel_begin(t, record, time);
    break;
  case RAW_PARALLEL_END:
    take_parallel_end(t, record, time);
    break;
  case RAW_IMPLICIT_BEGIN:
    take_implicit_begin(t, record, time);
    break;
  case RAW_IMPLICIT_END:
    take_implicit_end(t, record, time);
    break;
  case RAW_WORK_BEGIN:
    take_work_begin(t, record, time);
    break;
  case RAW_WORK_END:
    take_work_end(t, record, time);
    break;
  case RAW_CHUNK:
  case RAW_CHUNK_WIDE:
    take_chunk(t, record, time);
    break;
  case RAW_SECTION:
    take_section(t, record, time);
    break;
  case RAW_SYNC_BEGIN:
    take_sync_begin(t, record, time);
    break;
  case RAW_SYNC_END:
    take_sync_end(t, record, time);
    break;
  case RAW_WAIT_BEGIN:
    take_wait_begin(t, record, time);
    break;
  case RAW_WAIT_END:
    take_wait_end(t, record, time);
    break;
  case RAW_REDUCTION_BEGIN:
    frame_enter(t, F_REDUCTION, 0, C_REDUCTION, raw_value_of(record[0]), time);
    break;
  case RAW_REDUCTION_END:
    frame_end_innermost(t, F_REDUCTION, time);
    break;
  case RAW_MUTEX_ACQUIRE:
    take_mutex_acquire(t, record, time);
    break;
  case RAW_MUTEX_ACQUIRED:
    take_mutex_acquired(t, record, time);
    break;
  case RAW_MUTEX_RELEASED:
    take_mutex_released(t, record, time);
    break;
  case RAW_NEST_BEGIN:
    take_nest_begin(t, record, time);
    break;
  case RAW_MASKED_BEGIN:
    frame_enter(t, F_MASKED, 0, C_MASKED, raw_value_of(record[0]), time);
    break;
  case RAW_MASKED_END:
    frame_end_innermost(t, F_MASKED, time);
    break;
  case RAW_TASK_CREATE:
    take_task_create(t, record, time);
    break;
  case RAW_TASK_SWITCH:
    take_task_switch(t, record, time);
    break;
  case RAW_TASK_STATUS:
    take_task_status(t, record, time);
    break;
  case RAW_CANCEL:
    take_cancel(t, record, time);
    break;
  case RAW_FLUSH:
    zero_length_at(t, C_FLUSH, raw_value_of(record[0]), time);
    break;
  case RAW_ERROR:
    zero_length_at(t, C_ERROR, raw_value_of(record[0]), time);
    break;
  case RAW_CONTROL:
    take_control(t, record, time);
    break;
  case RAW_DOACROSS:
    take_doacross(t, record, time);
    break;
  default: /* the scan's, or no event in OTF2 */
    break;
  }
}

/* Looks at what the records before left open to decide. True when that used the record up. */
static bool attend(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if ((t->attention & ATTEND_GAP) != 0 && raw_kind_of(record[0]) != RAW_GAP) {
    t->attention &= ~(unsigned)ATTEND_GAP;
    sink_measurement(&t->sink, t->gap_end, true);
  }
  if ((t->attention & ATTEND_LOOP) != 0)
    attend_loop(t, record);
  if ((t->attention & ATTEND_CREATE) != 0)
    attend_create(t, record);
  if ((t->attention & ATTEND_TEST) != 0)
    attend_test(t, record);
  return (t->attention & ATTEND_BARRIER) != 0 && attend_barrier(t, record, time);
}

static int begin_work(struct timeline *t, struct worker *worker)
{
  t->worker = worker;
  t->sink.attributes = worker->attributes;
  if (t->sink.writer == NULL)
    t->sink.writer = archive_writer(t->sink.archive, t->location->number);
  return t->sink.writer != NULL || archive_failed(t->sink.archive) ? 0 : EIO;
}

int timeline_slice(struct timeline *t, struct worker *worker, uint64_t until, uint32_t slice)
{
  struct raw_iter iter;
  const uint64_t *record;
  const struct process *process = t->location->process;
  t->acquired = &t->location->acquired[slice & 1];
  t->acquired_next = 0;
  raw_iter_start(&iter, t->location->log, &t->mark, process->keep_ticks ? until : UINT64_MAX, worker->buffer);
  if ((record = raw_iter_next(&iter)) != NULL && begin_work(t, worker) != 0)
    return EIO;
  for (; record != NULL && !archive_failed(t->sink.archive); record = raw_iter_next(&iter)) {
    uint64_t time = process_time(process, record[1]);
    if (time < t->last_record)
      time = t->last_record;
    if (time >= until && record != iter.synthetic) {
      raw_iter_back(&iter, record);
      break;
    }
    if (t->attention == 0 || !attend(t, record, time))
      timeline_record(t, record, time);
    t->last_record = time;
  }
  raw_iter_stop(&iter, &t->mark);
  return iter.error != 0 ? iter.error : t->out_of_memory ? ENOMEM : 0;
}

int timeline_finish(struct timeline *t, struct worker *worker, uint64_t last)
{
  static const uint64_t nothing[2] = {0, 0};
  if (t->sink.writer == NULL)
    return 0;
  t->worker = worker;
  t->sink.attributes = worker->attributes;
  unsigned barrier = t->attention & ATTEND_BARRIER;
  t->attention &= ~(unsigned)ATTEND_BARRIER;
  if (t->attention != 0)
    attend(t, nothing, t->last_record);
  t->attention = barrier;
  leave_finished_barrier(t);
  release_held(t);
  if (t->location->facts.lost_after > 0) {
    sink_measurement(&t->sink, t->sink.last, false);
    frames_close_to(t, 0, t->sink.last, CLOSED_LOST);
  } else {
    frames_close_to(t, 0, last, CLOSED_KILLED);
  }
  return t->out_of_memory ? ENOMEM : 0;
}
