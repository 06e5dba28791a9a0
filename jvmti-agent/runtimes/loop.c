#include "jvmti-agent/runtimes/loop.h"

#include "jvmti-agent/runtimes/batch.h"
#include "jvmti-agent/runtimes/sites.h"

/* Several threads may do this at once: they find the same. */
static bool find_fields(JNIEnv *jni, struct site *site, jobject data)
{
  jclass class = (*jni)->GetObjectClass(jni, data);
  bool found = (site->loop.start = (*jni)->GetFieldID(jni, class, "start", "J")) &&
               (site->loop.stop = (*jni)->GetFieldID(jni, class, "stop", "J")) &&
               (site->loop.step = (*jni)->GetFieldID(jni, class, "step", "J")) &&
               (site->loop.start_step = (*jni)->GetFieldID(jni, class, "startStep", "J")) &&
               (site->loop.is_last = (*jni)->GetFieldID(jni, class, "isLast", "Z"));
  (*jni)->DeleteLocalRef(jni, class);
  if (!found)
    (*jni)->ExceptionClear(jni);
  atomic_store_explicit(&site->loop.known, found ? 1 : -1, memory_order_release);
  return found;
}

static bool is_readable(JNIEnv *jni, struct site *site, jobject data)
{
  int known = atomic_load_explicit(&site->loop.known, memory_order_acquire);
  return data && known >= 0 && (known > 0 || find_fields(jni, site, data));
}

const struct hook_field loop_fields[HOOK_FIELDS] = {{0, "start", true},  {0, "stop", true}, {0, "step", true},
                                                    {1, "start", true},  {1, "stop", true}, {1, "startStep", false},
                                                    {1, "isLast", false}};

bool loop_read(const struct hook *hook, struct iterations *whole)
{
  struct site *site = hook->site;
  JNIEnv *jni = hook->jni;
  if (hook->fields) {
    *whole = (struct iterations){.start = hook->fields[0], .stop = hook->fields[1], .step = hook->fields[2]};
    return true;
  }
  if (!is_readable(jni, site, hook->first))
    return false;
  whole->start = (*jni)->GetLongField(jni, hook->first, site->loop.start);
  whole->stop = (*jni)->GetLongField(jni, hook->first, site->loop.stop);
  whole->step = (*jni)->GetLongField(jni, hook->first, site->loop.step);
  return true;
}

bool loop_read_chunk(const struct hook *hook, struct chunk *chunk)
{
  struct site *site = hook->site;
  JNIEnv *jni = hook->jni;
  if (hook->fields) {
    *chunk = (struct chunk){.start = hook->fields[3],
                            .stop = hook->fields[4],
                            .start_step = hook->fields[5],
                            .is_last = hook->fields[6] != 0};
    return true;
  }
  if (!is_readable(jni, site, hook->second))
    return false;
  chunk->start = (*jni)->GetLongField(jni, hook->second, site->loop.start);
  chunk->stop = (*jni)->GetLongField(jni, hook->second, site->loop.stop);
  chunk->start_step = (*jni)->GetLongField(jni, hook->second, site->loop.start_step);
  chunk->is_last = (*jni)->GetBooleanField(jni, hook->second, site->loop.is_last);
  return true;
}

/* The distance from a to b in the direction of step, as far as there is one. */
static uint64_t distance(int64_t a, int64_t b, int64_t step)
{
  if (step > 0)
    return b > a ? (uint64_t)b - (uint64_t)a : 0;
  return b < a ? (uint64_t)a - (uint64_t)b : 0;
}

static uint64_t size_of(int64_t step)
{
  return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

uint64_t loop_iterations(const struct iterations *whole)
{
  uint64_t step = size_of(whole->step);
  if (step == 0)
    return 0;
  uint64_t length = distance(whole->start, whole->stop, whole->step);
  return length / step + (length % step != 0);
}

/*
 * The first iteration is recorded as the value of the loop's variable. Of a static loop the program itself goes through
 * the thread's further chunks, and the converter derives them; it knows nothing of steps, so where there is one,
 * iterations are counted from 0. If no other chunk follows, nothing can be derived: the chunk is recorded as
 * iterations.
 */
void loop_emit_chunk(struct batch *batch, unsigned work, const struct iterations *whole, const struct chunk *chunk)
{
  struct iterations inside = {.start = chunk->start, .stop = chunk->stop, .step = whole->step};
  if (distance(chunk->stop, whole->stop, whole->step) == 0)
    inside.stop = whole->stop; /* chunks may reach beyond the end; the program cuts them off */
  uint64_t count = loop_iterations(&inside), first = (uint64_t)chunk->start;
  uint64_t left = distance(chunk->start, whole->stop, whole->step);
  bool repeats = chunk->start_step != 0 && left > size_of(chunk->start_step);
  if (repeats && whole->step != 1 && whole->step != 0)
    first = distance(whole->start, chunk->start, whole->step) / size_of(whole->step);
  unsigned kind = work == WORK_LOOP_STATIC && !repeats ? DISPATCH_ITERATION : DISPATCH_LOOP_CHUNK;
  if ((uint64_t)(int64_t)(int32_t)first == first && count <= 0xffff)
    batch_emit(batch, RAW_CHUNK, kind, (first & 0xffffffffu) << 16 | count);
  else
    batch_emit4(batch, RAW_CHUNK_WIDE, kind, 0, first, count);
}
