#include "otf2-convert/timeline/timeline.h"

#include "otf2-convert/plan/module_map.h"
#include "otf2-convert/timeline/timeline_records.h"

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
  t->counter_count = counter_names(&location->process->info).count;
  return t;
}

void timeline_free(struct timeline *t)
{
  if (t == NULL)
    return;
  vector_free(&t->frames);
  vector_free(&t->profile.around);
  free(t->held);
  free(t->omitted);
  free(t->counters);
  vector_free(&t->locks);
  vector_free(&t->mutexes);
  vector_free(&t->monitors);
  free(t);
}

/*
 * Late ends of a region's last barrier. Records that may be such ends are held until the next record shows what they
 * are.
 */

/* The end of the barrier that the top frame waits in, as far as it is known; not before the wait began. */
static uint64_t release_time(const struct timeline *t)
{
  const struct frame *wait = &t->frames.items[t->frames.count - 1];
  const struct team *team = timeline_team(t, t->frames.items[t->team].key);
  uint64_t release = wait->wait.begin;
  if (team != NULL && team->latest_arrival > release)
    release = team->latest_arrival;
  return wait->wait.task_end > release ? wait->wait.task_end : release;
}

/* Puts the worker outside of its region at `release`; what the tool itself did later is shown there. */
static void leave_region(struct timeline *t, uint64_t release, uint64_t seen)
{
  if (release < seen)
    t->counts.ends_corrected++;
  else
    release = seen;
  t->attention &= ~(unsigned)ATTEND_BARRIER;
  uint32_t team = t->team;
  while (t->frames.count > team + 1)
    frame_close_top(t, release, frame_top(t)->type == F_USER ? CLOSED_LOST : CLOSED_BY_END);
  frame_close_top(t, release, CLOSED_BY_END);
  for (uint32_t i = 0; i < t->held_count; i++)
    if (raw_kind_of(t->held[i][0]) == RAW_STALL)
      take_record(t, t->held[i], t->held[i][1]);
  t->held_count = 0;
}

/* Takes the held records as what they are. */
static void release_held(struct timeline *t)
{
  t->attention &= ~(unsigned)ATTEND_BARRIER;
  uint32_t count = t->held_count;
  t->held_count = 0;
  for (uint32_t i = 0; i < count; i++)
    take_record(t, t->held[i], t->held[i][1]);
}

static bool hold_late(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (t->held_count == HELD_MAX)
    return false;
  if (t->held == NULL && (t->held = calloc(HELD_MAX, sizeof *t->held)) == NULL) {
    t->out_of_memory = true;
    return false;
  }
  uint64_t *copy = t->held[t->held_count++];
  copy[0] = record[0];
  copy[1] = time;
  copy[2] = raw_record_words(record[0]) > 2 ? record[2] : 0;
  return true;
}

/* True if the barrier's end has been delivered. */
static bool is_over(const struct timeline *t)
{
  for (uint32_t i = 0; i < t->held_count; i++)
    if (raw_kind_of(t->held[i][0]) != RAW_STALL)
      return true;
  return false;
}

/*
 * The thread is a worker and waits in what may be its region's last barrier. Whether it is, and so whether the
 * barrier's end was delivered late, shows only when the end of its implicit task follows.
 */
/* ATTEND_BARRIER. True if the record was processed. */
static bool late_attend(struct timeline *t, const uint64_t *record, uint64_t time)
{
  const struct frame *wait = frame_top(t);
  if (wait == NULL || wait->type != F_WAIT || t->team == NO_FRAME) { /* it executes a task */
    if (t->open[F_WAIT] == 0)
      t->attention &= ~(unsigned)ATTEND_BARRIER;
    return false;
  }
  switch (raw_kind_of(record[0])) {
  case RAW_STALL:
  case RAW_WAIT_END:
  case RAW_SYNC_END:
    if (hold_late(t, record, time))
      return true;
    break;
  case RAW_BLOCK_BEGIN: /* how a Java thread waits in it, until the end that comes late */
  case RAW_BLOCK_OWNER:
  case RAW_BLOCK_PINNED:
  case RAW_BLOCK_END:
  case RAW_SPIN:
    if (!is_over(t))
      return true;
    break;
  case RAW_IMPLICIT_END: {
    uint64_t seen = time;
    for (uint32_t i = t->held_count; i-- > 0;)
      if (raw_kind_of(t->held[i][0]) == RAW_WAIT_END)
        seen = t->held[i][1];
    leave_region(t, release_time(t), seen);
    return true;
  }
  default:
    break;
  }
  unsigned still = wait->type == F_WAIT ? ATTEND_BARRIER : 0;
  release_held(t);
  wait = frame_top(t); /* a task begins in the barrier: its end is still to come */
  if (still && wait != NULL && wait->type == F_WAIT)
    t->attention |= ATTEND_BARRIER;
  return false;
}

/* True if the worker waits in a barrier that all of its team came to. */
static bool waits_for_nobody(struct timeline *t)
{
  const struct frame *wait = frame_top(t);
  if ((t->attention & ATTEND_BARRIER) == 0 || wait == NULL || wait->type != F_WAIT || t->team == NO_FRAME)
    return false;
  const struct frame *frame = &t->frames.items[t->team];
  const struct team *team = timeline_team(t, frame->key);
  return team != NULL && wait->detail != SYNC_BARRIER_IMPLICIT && team->arrived >= frame->team.size;
}

/* After the last record: a worker leaves a barrier that has ended; other held records are processed. */
static void late_finish(struct timeline *t)
{
  if (waits_for_nobody(t))
    leave_region(t, release_time(t), UINT64_MAX);
  release_held(t);
}

/* Looks at what the records before left open to decide. True when that used the record up. */
static bool attend(struct timeline *t, const uint64_t *record, uint64_t time)
{
  t->attention &= ~(unsigned)ATTEND_RESUMED;
  if ((t->attention & ATTEND_OMITTED) != 0)
    attend_omitted(t, record, time);
  if ((t->attention & ATTEND_GAP) != 0)
    attend_gap(t, record);
  if ((t->attention & ATTEND_LOOP) != 0)
    attend_loop(t, record);
  if ((t->attention & ATTEND_CREATE) != 0)
    attend_create(t, record);
  if ((t->attention & ATTEND_TEST) != 0)
    attend_test(t, record);
  if ((t->attention & ATTEND_GC) != 0)
    attend_gc(t, record, time);
  if ((t->attention & ATTEND_BLOCK) != 0 && attend_block(t, record, time))
    return true;
  return (t->attention & ATTEND_BARRIER) != 0 && late_attend(t, record, time);
}

static void timeline_take(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (t->attention == 0 || !attend(t, record, time))
    take_record(t, record, time);
}

/* One record with two events is two records from here on. */
static void take_two(struct timeline *t, const uint64_t *record, uint64_t time, unsigned first, unsigned second)
{
  unsigned detail = raw_detail_of(record[0]);
  timeline_take(t, (uint64_t[]){raw_head(first, detail, raw_value_of(record[0])), record[1]}, time);
  timeline_take(t, (uint64_t[]){raw_head(second, detail, 0), record[1]}, time);
}

/* True if a record has the time of the following one: it is no event of its own. */
static bool is_reading(const uint64_t *record)
{
  return raw_kind_of(record[0]) == RAW_READING || raw_kind_of(record[0]) == RAW_COUNTERS;
}

static void take_all(struct timeline *t, const uint64_t *record, uint64_t time)
{
  /* A reading waits for the events of its time; the pauses before it do not. */
  if (is_reading(record) && (t->attention & (ATTEND_GC | ATTEND_GAP | ATTEND_OMITTED)) == ATTEND_GC)
    attend_gc(t, record, time);
  switch (raw_kind_of(record[0])) {
  case RAW_BARRIER_BEGIN:
    take_two(t, record, time, RAW_SYNC_BEGIN, RAW_WAIT_BEGIN);
    break;
  case RAW_BARRIER_END:
    take_two(t, record, time, RAW_WAIT_END, RAW_SYNC_END);
    break;
  case RAW_READING:
    hold_reading(t, record, time);
    break;
  case RAW_COUNTERS:
    hold_counters(t, record, time);
    break;
  default:
    timeline_take(t, record, time);
  }
}

static uint32_t off_region(struct timeline *t, const struct off_time *off)
{
  return definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index,
                            off->ready ? C_NO_PROCESSOR : C_OFF_PROCESSOR, &(uint64_t){off->call}, 0);
}

/* Lets go of the times without a processor that are written, and gives the sink the others. */
static void feed_off(struct timeline *t)
{
  struct location *location = t->location;
  struct off_feed *off = &t->sink.off;
  if (location->off.count == 0)
    return;
  if (off->next > 0)
    memmove(location->off.items, location->off.items + off->next,
            (location->off.count - off->next) * sizeof *location->off.items);
  location->off.count -= off->next;
  for (size_t i = 0; i < location->off.count; i++) {
    location->off.items[i].region = off_region(t, &location->off.items[i]);
    location->off.items[i].reason = class_wait_in(t, &location->off.items[i]);
  }
  *off = (struct off_feed){
      .times = location->off.items, .count = location->off.count, .show_reason = show_class_wait, .of = t};
  t->sink.off_waits = off->count > 0;
}

static int begin_work(struct timeline *t, struct worker *worker)
{
  t->worker = worker;
  t->sink.attributes = worker->attributes;
  if (t->sink.writer == NULL) {
    t->sink.writer = archive_writer(t->sink.archive, t->location->number);
    /* A record may report earlier times, but none before the first record. */
    t->sink.last = t->location->facts.first_time;
  }
  feed_off(t);
  return t->sink.writer != NULL || archive_failed(t->sink.archive) ? 0 : EIO;
}

/* True if the JVM stops the thread, for example for garbage collection, and there are such pauses. */
static bool may_pause(struct timeline *t)
{
  const struct thread_facts *facts = &t->location->facts;
  const uint32_t process = t->location->process->index;
  t->stalls = jvm_log_stalls(&t->on->jvm_logs[process], facts->tid, &t->stall_count);
  return facts->is_java && t->location->process->info.profile == NULL && (facts->java_flags & RAW_JAVA_INTERNAL) == 0 &&
         (t->on->pauses[process].list.count > 0 || t->stall_count > 0);
}

/* True if a record only counts in the sums of the profile. */
static bool is_summed(const struct timeline *t, const struct raw_iter *iter, const uint64_t *record)
{
  return raw_iter_is_summed(iter, record) || (t->location->process->info.profile != NULL && !raw_is_of_life(record[0]));
}

/* Writes the readings of before `time` that wait for nothing. */
static void show_readings(struct timeline *t, uint64_t time, bool last)
{
  if (t->reading.waits)
    show_reading(t, time, last);
  if (t->counters_held > 0)
    show_counters(t, time, last);
}

/*
 * True if the regions that the thread had open ended in the gap before `record`. Then the next region that is in no
 * other begins before the end of the outermost of them.
 */
static bool are_regions_over(struct timeline *t, const struct raw_iter *iter, const uint64_t *record)
{
  uint64_t outermost = t->frames.items[frame_find_outermost(t, F_PARALLEL)].key;
  if (outermost != RAW_ID_NONE && outermost == t->lasting) /* or each gap in a long region would look to its end */
    return false;
  struct raw_mark mark;
  struct raw_iter ahead;
  uint64_t *buffer = malloc(RAW_ITER_WORDS * sizeof *buffer);
  bool over = false, decided = buffer == NULL;
  raw_iter_stop(iter, &mark);
  if (buffer != NULL)
    raw_iter_start(&ahead, t->location->log, &mark, UINT64_MAX, buffer);
  for (; !decided && record != NULL; record = raw_iter_next(&ahead)) {
    over = raw_kind_of(record[0]) == RAW_PARALLEL_BEGIN && (raw_detail_of(record[0]) & RAW_PARALLEL_OUTER) != 0;
    decided = over || (raw_kind_of(record[0]) == RAW_PARALLEL_END && raw_value_of(record[0]) == outermost);
  }
  if (!over && buffer != NULL)
    t->lasting = outermost;
  free(buffer);
  return over;
}

/* True if the thread is not measured from its last record on: then it shows no pause after it. */
static bool is_not_measured_after(const struct timeline *t)
{
  return (t->mark.chunk.lost_after & (RAW_PAUSED_AFTER | RAW_UNTRACED)) != 0;
}

/*
 * True if the thread has ended, and nothing that comes later can add an event. Its file is closed at once then: the
 * library searches a list of all open ones.
 */
static bool is_thread_over(const struct timeline *t)
{
  const struct thread_facts *facts = &t->location->facts;
  bool decided = t->attention == 0 && t->frames.count == 0 && t->held_count == 0 && t->omitted_count == 0 &&
                 t->counters_held == 0 && !t->reading.waits;
  if (!t->ended || !decided || t->sink.writer == NULL || facts->is_java || t->location->process->info.profile != NULL ||
      facts->lost_after > 0 || facts->paused_after)
    return false;
  struct raw_place place = t->mark.place;
  struct raw_chunk chunk;
  return !raw_log_next(t->location->log, &place, &chunk);
}

int timeline_slice(struct timeline *t, struct worker *worker, uint64_t until, uint32_t slice)
{
  struct raw_iter iter;
  const uint64_t *record;
  uint64_t copy[CODE_EXCHANGE_WORDS];
  const struct process *process = t->location->process;
  t->acquired = &t->location->acquired[slice & 1];
  t->acquired_next = 0;
  raw_iter_start(&iter, t->location->log, &t->mark, process_ticks(process, until), worker->buffer);
  if (((record = raw_iter_next(&iter)) != NULL || t->sink.writer != NULL) && begin_work(t, worker) != 0)
    return EIO;
  if (may_pause(t))
    t->attention |= ATTEND_GC;
  for (; record != NULL && !archive_failed(t->sink.archive); record = raw_iter_next(&iter)) {
    uint64_t time = process_time_after(process, record[1], t->last_record);
    if (time < t->last_record)
      time = t->last_record;
    if (time >= until && record != iter.synthetic) {
      raw_iter_back(&iter, record);
      break;
    }
    if (raw_kind_of(record[0]) == RAW_JAVA_SAMPLE || raw_kind_of(record[0]) == RAW_STACK) /* of the other archive */
      continue;
    t->counts.records++;
    if ((t->attention & ATTEND_GAP) != 0 && raw_kind_of(record[0]) != RAW_GAP && t->open[F_PARALLEL] > 0)
      t->regions_over = are_regions_over(t, &iter, record);
    show_readings(t, time, false);
    if (!is_summed(t, &iter, record))
      take_all(t, code_exchange(&process->info.modules.map, record, copy), time);
    if (!is_reading(record))
      show_readings(t, UINT64_MAX, false);
    t->last_record = time;
    t->ended = raw_kind_of(record[0]) == RAW_THREAD_END;
    if (raw_kind_of(record[0]) != RAW_STALL && !is_reading(record))
      t->last_of_program = time;
  }
  raw_iter_stop(&iter, &t->mark);
  if ((t->attention & ATTEND_GC) != 0 && t->sink.writer != NULL && !(record == NULL && is_not_measured_after(t)))
    finish_gc(t, until);
  t->attention &= ~(unsigned)ATTEND_GC;
  if (iter.error == 0 && record == NULL && is_thread_over(t))
    return timeline_finish(t, worker, t->last_record);
  return iter.error != 0 ? iter.error : t->out_of_memory ? ENOMEM : 0;
}

int timeline_finish(struct timeline *t, struct worker *worker, uint64_t last)
{
  static const uint64_t nothing[2] = {0, 0};
  t->location->over = true;
  if (t->sink.writer == NULL)
    return 0;
  if (begin_work(t, worker) != 0)
    return EIO;
  if (may_pause(t) && !is_not_measured_after(t))
    finish_stalls(t, last);
  finish_block(t, last);
  finish_virtual(t);
  unsigned barrier = t->attention & ATTEND_BARRIER;
  t->attention &= ~(unsigned)ATTEND_BARRIER;
  if (t->attention != 0)
    attend(t, nothing, t->last_record);
  t->attention = barrier;
  late_finish(t);
  show_readings(t, t->last_record, true);
  finish_profile(t, t->location->facts.lost_after > 0 || t->location->facts.paused_after ? t->sink.last : last);
  if (t->location->facts.lost_after > 0 || t->location->facts.paused_after) {
    sink_measurement(&t->sink, t->sink.last, false);
    frames_close_to(t, 0, t->sink.last, CLOSED_LOST);
  } else {
    frames_close_to(t, 0, last, t->location->process->info.ended ? CLOSED_ENDED : CLOSED_KILLED);
  }
  t->location->events = archive_events(t->sink.archive, t->sink.writer);
  t->location->counts = t->counts;
  archive_close_writer(t->sink.archive, t->sink.writer); /* of many threads not all files can be open */
  t->sink.writer = NULL;
  return t->out_of_memory ? ENOMEM : 0;
}
