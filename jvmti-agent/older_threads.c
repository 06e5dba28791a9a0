#include "jvmti-agent/older_threads.h"

#include "base/count_of.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"

#include <stdlib.h>

#define LOOK_MS 10u

/* A thread as it was found. Never freed: threads run on after the agent's end. */
struct older_threads_row {
  jthread thread; /* global reference; nobody's once the row is taken */
  uint64_t id, since, place, object;
  enum raw_block kind;        /* 0: it runs */
  atomic_uint_fast64_t until; /* ticks; 0: it waits still */
  atomic_bool taken;          /* the thread has shown itself, or is recorded by another one */
};

static struct {
  struct older_threads_row *rows; /* by id: each unpark looks for one */
  size_t count, room;
} attached;

static bool older_threads_waits_for(jint state, enum raw_block kind)
{
  switch (kind) {
  case RAW_BLOCK_ENTER:
    return (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0;
  case RAW_BLOCK_PARK:
    return (state & JVMTI_THREAD_STATE_PARKED) != 0;
  case RAW_BLOCK_SLEEP:
    return (state & JVMTI_THREAD_STATE_SLEEPING) != 0;
  default:
    return (state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT) != 0;
  }
}

/* 0: it runs. */
static enum raw_block older_threads_kind_of(jint state)
{
  static const enum raw_block kinds[] = {RAW_BLOCK_ENTER, RAW_BLOCK_PARK, RAW_BLOCK_SLEEP, RAW_BLOCK_WAIT};
  for (size_t i = 0; i < COUNT_OF(kinds); i++)
    if (older_threads_waits_for(state, kinds[i]))
      return kinds[i];
  return 0;
}

/* The object that a thread waits for: a local reference, or NULL. */
static jobject older_threads_awaited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, enum raw_block kind)
{
  jobject object = NULL;
  if (kind == RAW_BLOCK_PARK)
    return thread_park_blocker_of(jni, thread);
  if ((kind == RAW_BLOCK_ENTER || kind == RAW_BLOCK_WAIT) &&
      (*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &object) != JVMTI_ERROR_NONE)
    return NULL;
  return object;
}

static void older_threads_look_at(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct older_threads_row *row)
{
  jint state;
  bool in_join = false;
  *row = (struct older_threads_row){.thread = (*jni)->NewGlobalRef(jni, thread), .id = thread_id_of(jni, thread)};
  row->since = clock_ticks();
  if ((*jvmti)->GetThreadState(jvmti, thread, &state) != JVMTI_ERROR_NONE ||
      (row->kind = older_threads_kind_of(state)) == 0)
    return;
  row->place = place_of_thread(jvmti, jni, thread, &in_join);
  jobject object = older_threads_awaited(jvmti, jni, thread, row->kind);
  row->object = object_of(jvmti, jni, object);
  (*jni)->DeleteLocalRef(jni, object);
  if (row->kind == RAW_BLOCK_WAIT && in_join)
    row->kind = RAW_BLOCK_JOIN;
}

static void note_end(struct older_threads_row *row)
{
  uint_fast64_t none = 0;
  atomic_compare_exchange_strong(&row->until, &none, clock_ticks());
}

/* Finds the waits that have ended. */
static unsigned older_threads_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  bool open = false;
  (void)jni;
  for (size_t i = 0; i < attached.count; i++) {
    struct older_threads_row *row = &attached.rows[i];
    jint state;
    if (!row->kind || atomic_load(&row->taken) || atomic_load(&row->until) != 0)
      continue;
    if ((*jvmti)->GetThreadState(jvmti, row->thread, &state) != JVMTI_ERROR_NONE ||
        !older_threads_waits_for(state, row->kind))
      note_end(row);
    open = true;
  }
  return open ? LOOK_MS : 0;
}

static int compare(const void *of_a, const void *of_b)
{
  const struct older_threads_row *a = of_a, *b = of_b;
  return (a->id > b->id) - (a->id < b->id);
}

static struct older_threads_row *older_threads_row_of(uint64_t id)
{
  const struct older_threads_row wanted = {.id = id};
  return attached.count ? bsearch(&wanted, attached.rows, attached.count, sizeof wanted, compare) : NULL;
}

/* False: it was taken before. Then its wait, if it has one, has ended, and is described. */
static bool older_threads_take(struct older_threads_row *row)
{
  char line[192];
  struct text text = TEXT_OVER(line);
  if (!row || atomic_exchange(&row->taken, true))
    return false;
  note_end(row);
  text_add(&text, "waiting: ");
  text_add_number(&text, row->since);
  text_add(&text, " ");
  text_add_number(&text, atomic_load(&row->until));
  text_add(&text, " ");
  text_add_number(&text, row->id);
  text_add(&text, " ");
  text_add_number(&text, row->kind);
  text_add(&text, " ");
  text_add_hex(&text, row->place);
  text_add(&text, " ");
  text_add_hex(&text, row->object);
  text_add(&text, "\n");
  if (!text.cut)
    session_describe(line, text.used);
  return true;
}

/* The calling thread shows itself: since when the agent knows it. */
static uint64_t met(uint64_t id)
{
  struct older_threads_row *row = older_threads_row_of(id);
  return older_threads_take(row) ? row->since : 0;
}

/* The rows of a recording before are used again; rows that are too few are left, as a thread may still look there. */
static bool make_room(size_t count)
{
  attached.count = 0;
  if (attached.room < count) {
    attached.rows = calloc(count, sizeof *attached.rows);
    attached.room = attached.rows ? count : 0;
  }
  return attached.rows != NULL;
}

void older_threads_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jint count;
  jthread *threads;
  if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
    return;
  bool has_room = make_room((size_t)count);
  for (jint i = 0; i < count; i++) {
    if (has_room)
      older_threads_look_at(jvmti, jni, threads[i], &attached.rows[attached.count++]);
    (*jni)->DeleteLocalRef(jni, threads[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
  if (attached.count)
    qsort(attached.rows, attached.count, sizeof *attached.rows, compare);
  threads_ask_since(met);
  watch_begin(jvmti, jni, older_threads_look);
}

void older_threads_unparked(uint64_t id)
{
  struct older_threads_row *row = older_threads_row_of(id);
  if (row && row->kind == RAW_BLOCK_PARK)
    note_end(row);
}

void older_threads_end(JNIEnv *jni)
{
  for (size_t i = 0; i < attached.count; i++) {
    struct older_threads_row *row = &attached.rows[i];
    if (older_threads_take(row))
      threads_record_for(jni, row->thread, row->since);
    (*jni)->DeleteGlobalRef(jni, row->thread);
  }
}
