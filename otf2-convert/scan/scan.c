#include "otf2-convert/scan/scan.h"

#include "base/hash.h"
#include "otf2-convert/plan/module_map.h"
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/timeline/record_details.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool note(struct location *location, enum team_note_kind kind, uint64_t id, uint64_t value)
{
  struct team_note note = {.id = id & RAW_VALUE_MASK, .kind = kind, .value = value};
  return kind == NOTE_REGION ? vector_push(&location->region_notes, note) : vector_push(&location->member_notes, note);
}

/* code: the call that initialized it, else 0. */
static bool note_lock(struct location *location, enum lock_event event, uint64_t head, uint64_t code, uint64_t time)
{
  struct lock_note note = {
      .time = time, .what = (uint64_t)event << 56 | raw_value_of(head), .code = code & RAW_VALUE_MASK};
  return vector_push(&location->lock_notes, note);
}

static bool note_object(struct location *location, enum lock_event event, unsigned kind, uint64_t address,
                        uint64_t time, uint64_t code, uint64_t nth)
{
  struct lock_note note = {.time = time,
                           .what = (uint64_t)event << 56 |
                                   (uint64_t)(kind == RAW_PTHREAD_READ ? RAW_PTHREAD_WRITE : kind) << RAW_VALUE_BITS |
                                   (address & RAW_VALUE_MASK),
                           .code = code,
                           .nth = nth};
  return vector_push(&location->lock_notes, note);
}

/* Objects of POSIX threads. The timeline takes a result for each OBJECT_USED and OBJECT_ACQUIRED. */
static bool pthread_record(struct location *location, const uint64_t *record, uint64_t time)
{
  unsigned detail = raw_detail_of(record[0]);
  uint64_t value = raw_value_of(record[0]);
  switch (raw_kind_of(record[0])) {
  case RAW_PTHREAD_WAIT:
    return note_object(location, OBJECT_USED, detail & RAW_PTHREAD_KIND, record[2], time, value, 0);
  case RAW_PTHREAD_WAITED:
    if (pthread_acquires(detail))
      return note_object(location, OBJECT_ACQUIRED, detail & RAW_PTHREAD_KIND, record[2], time, 0, 0);
    return detail != RAW_PTHREAD_JOIN || /* another thread gets the same pthread_t */
           note_object(location, OBJECT_GONE, RAW_PTHREAD_JOIN, record[2], time, 0, 0);
  case RAW_PTHREAD_HELD:
    return note_object(location, OBJECT_ACQUIRED, detail & RAW_PTHREAD_KIND, record[2], time, value, 0);
  case RAW_PTHREAD_WAKE:
    return note_object(location, OBJECT_USED, pthread_kind_of_wake(detail), record[2], time, 0, 0);
  case RAW_PTHREAD_OBJECT:
    return note_object(location, OBJECT_BEGUN, detail & RAW_PTHREAD_KIND, record[2], time, value, record[3]);
  case RAW_PTHREAD_GONE:
    return note_object(location, OBJECT_GONE, detail & RAW_PTHREAD_KIND, value, time, 0, 0);
  default: /* RAW_PTHREAD_COUNT */
    return record[2] == 0 || note_object(location, OBJECT_USED, detail & RAW_PTHREAD_KIND, record[2], time, value, 0);
  }
}

static bool implicit_begin(struct location *location, const uint64_t *record)
{
  struct scan *scan = &location->scan;
  uint64_t parallel = raw_value_of(record[0]);
  uint32_t index = (uint32_t)(record[2] >> 32);
  /* Only a thread that is in no region becomes a worker: the ends of what is open were lost or are past. */
  if (parallel != RAW_ID_NONE && index > 0)
    scan->depth = 0;
  if (scan->depth < SCAN_DEPTH) {
    if (scan->depth == scan->teams.count && !vector_resize(&scan->teams, scan->depth + 1))
      return false;
    scan->teams.items[scan->depth] = (struct scan_team){parallel, index};
  }
  scan->depth++;
  if (parallel == RAW_ID_NONE)
    return true;
  if (location->facts.first_index == UINT32_MAX)
    location->facts.first_index = index;
  return note(location, NOTE_MEMBER, parallel, record[2]);
}

/* The innermost team the thread is in; NULL: none, or nested too deep. */
static inline const struct scan *in_team(const struct scan *scan)
{
  return scan->depth == 0 || scan->depth > SCAN_DEPTH ? NULL : scan;
}

static bool task_create(struct location *location, const uint64_t *record)
{
  struct scan *scan = &location->scan;
  /* Outside of teams, as in Java's pools, the thread's own number distinguishes its tasks from others' tasks. */
  struct task task = {.code = raw_value_of(record[0]), .flags = raw_detail_of(record[0]), .creator = location->number};
  task.generation = ++scan->generation;
  task.weight = scan->task_weight > 0 ? scan->task_weight : 1;
  scan->task_weight = 0;
  if (in_team(scan)) {
    task.parallel = scan->teams.items[scan->depth - 1].parallel;
    task.creator = scan->teams.items[scan->depth - 1].index;
  }
  return task_table_add(location->tasks, record[2] & RAW_VALUE_MASK, location->number, task, &scan->last_task_id);
}

/* A block is used up before the next one is taken: a thread with few records has few. Each chunk repeats the newest. */
static bool block_taken(struct location *location, const uint64_t *record)
{
  uint64_t block = raw_value_of(record[0]);
  if (block == location->scan.block || location->scan.blocks > 1 + (location->log->bytes >> RAW_ID_BLOCK_SHIFT))
    return true;
  location->scan.block = block;
  location->scan.blocks++;
  return task_table_open_block(location->tasks, block, location->number);
}

static void gap(struct location *location, const uint64_t *record)
{
  if (raw_detail_of(record[0]) == RAW_GAP_MISSING)
    location->facts.chunks_lost += raw_value_of(record[0]);
  else if (raw_detail_of(record[0]) != RAW_GAP_PAUSED)
    location->facts.events_lost += raw_value_of(record[0]);
  else
    location->facts.paused = true;
}

/*
 * The thread is a Java thread, whose life may have begun before its first record. It may be several in turn (main()'s
 * thread waits for the others as DestroyJavaVM): what it was first names it.
 */
static void java_thread(struct location *location, const uint64_t *record, uint64_t time)
{
  struct thread_facts *facts = &location->facts;
  const struct process *process = location->process;
  bool again = facts->is_java;
  if (!again) {
    facts->java_id = raw_value_of(record[0]);
    facts->java_since = time;
  }
  facts->is_java = true;
  location->scan.is_another = facts->java_id != raw_value_of(record[0]);
  if (!location->scan.is_another)
    facts->java_flags |= raw_detail_of(record[0]);
  if (facts->java_flags & RAW_JAVA_BY_OTHER)
    facts->tid = 0;
  uint64_t started = process_time(process, record[2]);
  if (again || record[2] == 0 || started == 0 || started >= facts->first_time || process->info.anchors == 0 ||
      started < process_time(process, process->info.first.ticks))
    return;
  facts->java_started = facts->first_time = started;
}

/* The last one counts. */
static bool thread_text(struct location *location, const uint64_t *record)
{
  size_t bytes = raw_value_of(record[0]) & 0xffff, room = 16u * raw_detail_of(record[0]);
  unsigned kind = raw_value_of(record[0]) >> 16 & 0xff;
  char **text = kind == RAW_TEXT_NAME    ? &location->facts.java_name
                : kind == RAW_TEXT_GROUP ? &location->facts.java_group
                : kind == RAW_TEXT_CLASS ? &location->facts.java_class
                : kind == RAW_TEXT_USER  ? &location->facts.user_name
                                         : NULL;
  if (text == NULL || location->scan.is_another)
    return true;
  char *copy = strndup((const char *)&record[2], bytes < room ? bytes : room);
  if (copy == NULL)
    return false;
  free(*text);
  *text = copy;
  return true;
}

static void put_run(FILE *list, uint64_t begin, uint64_t end)
{
  if (begin == UINT64_MAX)
    return;
  fprintf(list, "%s%" PRIu64, ftell(list) > 0 ? "," : "", begin);
  if (end > begin)
    fprintf(list, "-%" PRIu64, end);
}

/* As the kernel writes lists of processors. The newest record counts. */
static bool thread_bound(struct location *location, const uint64_t *record)
{
  char *text = NULL;
  size_t size;
  FILE *list = raw_detail_of(record[0]) > 0 ? open_memstream(&text, &size) : NULL;
  uint64_t begin = UINT64_MAX, end = UINT64_MAX; /* of the run of processors that grows */
  for (unsigned i = 0; list != NULL && i < 64 * raw_detail_of(record[0]); i++) {
    uint64_t processor = record[2 + 2 * (i / 64)] + i % 64;
    if ((record[3 + 2 * (i / 64)] >> i % 64 & 1) == 0)
      continue;
    if (begin != UINT64_MAX && processor == end + 1) {
      end = processor;
      continue;
    }
    put_run(list, begin, end);
    begin = end = processor;
  }
  if (list != NULL) {
    put_run(list, begin, end);
    if (fclose(list) != 0)
      return false;
  }
  free(location->facts.bound_to);
  location->facts.bound_to = text;
  return list != NULL || raw_detail_of(record[0]) == 0;
}

static bool pause_end(struct location *location, uint64_t time)
{
  struct gc_pause pause = {.begin = location->scan.pause_begin, .end = time, .operation = GC_PAUSE_COLLECTION};
  location->scan.pause_begin = 0;
  return pause.begin == 0 || pause.begin == time || vector_push(&location->pause_notes, pause);
}

/* A profile has later times than its records. */
static void profile_thread(struct location *location, const uint64_t *record)
{
  struct thread_facts *facts = &location->facts;
  uint64_t last = process_time(location->process, record[2]);
  if (last > facts->profile_last)
    facts->profile_last = last;
  if (facts->first_ticks == 0)
    facts->first_ticks = record[1];
  if (facts->first_index == UINT32_MAX && raw_value_of(record[0]) != 0)
    facts->first_index = (uint32_t)raw_value_of(record[0]) - 1;
}

static bool scan_record(struct location *location, const uint64_t *record, uint64_t time)
{
  struct scan *scan = &location->scan;
  unsigned detail = raw_detail_of(record[0]), kind = raw_kind_of(record[0]);
  if (kind == RAW_STACK)
    return stack_notes_scan(location, record, time);
  location->facts.has_program_events |= kind >= RAW_PARALLEL_BEGIN; /* those before it are the recorder's own */
  switch (kind) {
  case RAW_THREAD_BEGIN:
    if (location->facts.tid == 0) {
      location->facts.type = detail;
      location->facts.tid = raw_value_of(record[0]);
    }
    return true;
  case RAW_THREAD_NAME:
    memcpy(location->facts.name, &record[2], 16);
    return true;
  case RAW_THREAD_BOUND:
    return thread_bound(location, record);
  case RAW_THREAD_TEXT:
    return thread_text(location, record);
  case RAW_JAVA_THREAD:
    java_thread(location, record, time);
    return true;
  case RAW_VIRTUAL_MOUNT:
  case RAW_VIRTUAL_UNMOUNT: /* it kept its carrier while it waited */
    java_stuck_mounted(&location->process->info.java, record[2], record[1]);
    return true;
  case RAW_PROFILE_THREAD:
    profile_thread(location, record);
    return true;
  case RAW_GC_BEGIN:
    scan->pause_begin = time;
    return true;
  case RAW_GC_END:
    return pause_end(location, time);
  case RAW_GAP:
    gap(location, record);
    return true;
  case RAW_ID_BLOCK_TAKEN:
    return block_taken(location, record);
  case RAW_PARALLEL_BEGIN:
    return note(location, NOTE_REGION, record[2],
                raw_value_of(record[0]) | (uint64_t)((detail & RAW_PARALLEL_LEAGUE) != 0) << 48);
  case RAW_IMPLICIT_BEGIN:
    return implicit_begin(location, record);
  case RAW_IMPLICIT_END:
    if (scan->depth > 0)
      scan->depth--;
    return true;
  case RAW_WAIT_BEGIN:
  case RAW_BARRIER_BEGIN:
    if (detail != SYNC_BARRIER_IMPLICIT_PARALLEL && detail != SYNC_BARRIER_IMPLICIT && detail != SYNC_BARRIER_TEAMS)
      return true;
    return !in_team(scan) || note(location, NOTE_ARRIVAL, scan->teams.items[scan->depth - 1].parallel, time);
  case RAW_MUTEX_ACQUIRE:
    return detail != RAW_MUTEX_MONITOR || note_lock(location, LOCK_ACQUIRED, record[0], 0, time);
  case RAW_MUTEX_ACQUIRED:
    return note_lock(location, LOCK_ACQUIRED, record[0], 0, time);
  case RAW_LOCK_INIT:
    return note_lock(location, LOCK_INITIALIZED, record[0], record[2], time);
  case RAW_LOCK_DESTROY:
    return note_lock(location, LOCK_DESTROYED, record[0], 0, time);
  case RAW_PTHREAD_WAIT:
  case RAW_PTHREAD_WAITED:
  case RAW_PTHREAD_WAKE:
  case RAW_PTHREAD_OBJECT:
  case RAW_PTHREAD_GONE:
  case RAW_PTHREAD_COUNT:
  case RAW_PTHREAD_HELD:
    return pthread_record(location, record, time);
  case RAW_PTHREAD_CREATE:
    return vector_push(&location->thread_notes, ((struct thread_note){record[2], time}));
  case RAW_PTHREAD_START:
    if (location->facts.pthread_number == 0) {
      location->facts.pthread_number = record[2];
      location->facts.start_code = raw_value_of(record[0]);
    }
    return true;
  case RAW_JAVA_SAMPLE:
    return vector_push(&location->sample_notes, ((struct java_sample){time, (uint32_t)raw_value_of(record[0])}));
  case RAW_WEIGHT:
    if (detail == RAW_TASK_CREATE)
      scan->task_weight = weight_of(record);
    return true;
  case RAW_TASK_CREATE:
    return task_create(location, record);
  default:
    return true;
  }
}

int scan_slice(struct location *location, uint64_t until, uint64_t *buffer)
{
  struct scan *scan = &location->scan;
  struct thread_facts *facts = &location->facts;
  struct raw_iter iter;
  const uint64_t *record;
  uint64_t copy[CODE_EXCHANGE_WORDS];
  raw_iter_start(&iter, location->log, &scan->mark, process_ticks(location->process, until), buffer);
  while ((record = raw_iter_next(&iter)) != NULL) {
    uint64_t time = process_time_after(location->process, record[1], scan->last_time);
    if (time < scan->last_time)
      time = scan->last_time;
    if (time >= until && record != iter.synthetic) {
      raw_iter_back(&iter, record);
      break;
    }
    if (!facts->any) {
      facts->any = true;
      facts->first_time = time;
    }
    scan->last_time = time;
    if (raw_iter_is_summed(&iter, record)) {
      facts->paused = true;
      continue;
    }
    if (!scan_record(location, code_exchange(&location->process->info.modules.map, record, copy), time))
      return ENOMEM;
  }
  raw_iter_stop(&iter, &scan->mark);
  if (scan->mark.chunk.not_measured > facts->not_measured)
    facts->not_measured = scan->mark.chunk.not_measured;
  facts->lost_after = scan->mark.chunk.lost_after & RAW_LOST_MOST;
  facts->paused_after = (scan->mark.chunk.lost_after & (RAW_PAUSED_AFTER | RAW_UNTRACED)) != 0;
  facts->last_time = scan->last_time > facts->profile_last ? scan->last_time : facts->profile_last;
  facts->bad_chunks += iter.bad_chunks;
  return iter.error;
}

static uint64_t threads_key_of(uint32_t process, uint64_t number)
{
  return (uint64_t)process << 32 | (uint32_t)number;
}

static bool take_created(struct threads *threads, struct location *location)
{
  bool good = true;
  for (size_t i = 0; good && i < location->thread_notes.count; i++)
    good = hash_put(&threads->created, threads_key_of(location->process->index, location->thread_notes.items[i].number),
                    location->thread_notes.items[i].time);
  location->thread_notes.count = 0;
  return good;
}

/* The thread's life begins when it was created, not when it records its first event. */
static void take_start(const struct threads *threads, struct location *location)
{
  struct thread_facts *facts = &location->facts;
  const uint64_t *created =
      hash_find(&threads->created, threads_key_of(location->process->index, facts->pthread_number));
  if (created != NULL && *created != 0 && *created < facts->first_time)
    facts->created = facts->first_time = *created;
}

bool threads_merge(struct threads *threads, struct location *locations, uint32_t count)
{
  bool good = true;
  if (threads->joined == NULL && (threads->joined = calloc((size_t)count + 1, sizeof *threads->joined)) == NULL)
    return false;
  for (uint32_t i = 0; good && i < count; i++)
    good = take_created(threads, &locations[i]);
  for (uint32_t i = 0; good && i < count; i++) {
    struct thread_facts *facts = &locations[i].facts;
    if (facts->pthread_number == 0 || threads->joined[i])
      continue;
    threads->joined[i] = true;
    take_start(threads, &locations[i]);
    good = hash_put(&threads->numbers, threads_key_of(locations[i].process->index, facts->tid), facts->pthread_number);
  }
  return good;
}

uint64_t threads_number(const struct threads *threads, uint32_t process, uint64_t tid)
{
  const uint64_t *number = tid == 0 ? NULL : hash_find(&threads->numbers, threads_key_of(process, tid));
  return number == NULL ? 0 : *number;
}

void threads_free(struct threads *threads)
{
  hash_free(&threads->created);
  hash_free(&threads->numbers);
  free(threads->joined);
}

/* Steps to the location's next chunk; false when there is none. */
static bool slicer_step(struct slicer *slicer, uint32_t source, uint64_t *time)
{
  const struct location *location = &slicer->locations[source];
  struct raw_chunk chunk;
  if (!raw_log_next(location->log, &slicer->sources[source].place, &chunk))
    return false;
  *time = process_time(location->process, chunk.anchor_ticks);
  slicer->sources[source].bytes = chunk.used;
  return true;
}

bool slicer_begin(struct slicer *slicer, struct location *locations, uint32_t count)
{
  *slicer = (struct slicer){.locations = locations};
  slicer->sources = calloc((size_t)count + 1, sizeof *slicer->sources);
  if (slicer->sources == NULL || !time_heap_init(&slicer->heap, count))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t time;
    if (slicer_step(slicer, i, &time))
      time_heap_add(&slicer->heap, time, i);
  }
  return true;
}

uint64_t slicer_next(struct slicer *slicer, uint64_t bytes)
{
  uint64_t taken = 0;
  struct time_heap *heap = &slicer->heap;
  while (heap->count > 0 && (taken < bytes || heap->entries[0].time <= slicer->last)) {
    uint32_t source = heap->entries[0].source;
    uint64_t time;
    taken += slicer->sources[source].bytes;
    if (slicer_step(slicer, source, &time))
      time_heap_move_first(heap, time);
    else
      time_heap_drop_first(heap);
  }
  slicer->done += taken;
  return slicer->last = heap->count > 0 ? heap->entries[0].time : UINT64_MAX;
}

void slicer_end(struct slicer *slicer)
{
  free(slicer->sources);
  time_heap_free(&slicer->heap);
}
