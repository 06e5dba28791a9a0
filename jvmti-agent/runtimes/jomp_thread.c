#include "jvmti-agent/runtimes/jomp_thread.h"

#include "common/profile/profile_origin.h"
#include "jvmti-agent/runtimes/batch.h"
#include "jvmti-agent/runtimes/jomp_budget.h"
#include "jvmti-agent/runtimes/jomp_critical.h"
#include "jvmti-agent/runtimes/sites.h"

#include <stdlib.h>

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

/* Returns how many iterations there are. */
static uint64_t loop_iterations(const struct iterations *whole)
{
  uint64_t step = size_of(whole->step);
  if (step == 0)
    return 0;
  uint64_t length = distance(whole->start, whole->stop, whole->step);
  return length / step + (length % step != 0);
}

/*
 * The first iteration is recorded as the value of the loop's variable. In a static loop the program itself goes through
 * the thread's further chunks, and the converter derives them. It knows nothing of steps, so where there is one,
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

#define JOMP_THREAD_DEPTH 8 /* regions nested deeper are not recorded */
#define THREAD_ALONE      1 /* in place of a team's number: no id of a region */

struct nest {
  unsigned depth;
  struct region regions[JOMP_THREAD_DEPTH];
};

/* On the heap: a library that a process loads later has little room for variables of threads. NULL: in no region yet.
 */
static __thread struct nest *jomp_thread_self __attribute__((tls_model("initial-exec")));

/* The region that workers are woken up for. The runtime starts them after this is written, and one at a time. */
static struct {
  uint64_t id;
  const struct site *site;
  uint64_t code;
  unsigned size;
  bool omitted;
} jomp_thread_team;

void jomp_thread_end(void)
{
  jomp_critical_thread_end();
  free(jomp_thread_self);
  jomp_thread_self = NULL;
}

static struct region *jomp_thread_innermost(void)
{
  return jomp_thread_self && jomp_thread_self->depth > 0 && jomp_thread_self->depth <= JOMP_THREAD_DEPTH
             ? &jomp_thread_self->regions[jomp_thread_self->depth - 1]
             : NULL;
}

/*
 * For woven code. What is recorded next may be the end of what is open: it is to leave no loop out without asking. And
 * whether the thread is alone in its region.
 */
static void follow(const struct region *region)
{
  if (!jomp_budget_self)
    return;
  jomp_budget_self->guard.busy = region && region->state == REGION_BODY && (region->work != 0 || region->after_work);
  jomp_budget_self->guard.alone = region && jomp_is_alone(region);
}

static void end_wait(struct batch *batch, struct region *region)
{
  if (region->wait != 0 && region->wait_pauses != sites_pauses())
    region->wait = 0;
  if (region->wait == 0)
    return;
  if (region->wait == SYNC_BARRIER_IMPLEMENTATION)
    batch_emit(batch, RAW_REDUCTION_END, 0, 0);
  else
    region->after_work = false;
  batch_emit(batch, RAW_BARRIER_END, region->wait, 0);
  if (region->wait == SYNC_BARRIER_IMPLICIT_WORKSHARE)
    jomp_budget_ended(region->work_site, batch->now);
  region->wait = 0;
  follow(region);
}

struct region *jomp_body(struct batch *batch)
{
  struct region *region = jomp_thread_innermost();
  if (!region || region->state != REGION_BODY)
    return NULL;
  end_wait(batch, region);
  return region;
}

static struct region *jomp_thread_push(uint64_t id, const struct site *site, uint64_t code, unsigned size, bool owner)
{
  if (!jomp_thread_self && !(jomp_thread_self = calloc(1, sizeof *jomp_thread_self)))
    return NULL;
  if (jomp_thread_self->depth++ >= JOMP_THREAD_DEPTH)
    return NULL;
  struct region *region = &jomp_thread_self->regions[jomp_thread_self->depth - 1];
  *region = (struct region){.id = id, .code = code, .site = site, .size = size, .owner = owner};
  return region;
}

static void begin_body(struct batch *batch, struct region *region, unsigned index)
{
  region->state = REGION_BODY;
  region->index = index;
  batch_emit3(batch, RAW_IMPLICIT_BEGIN, IMPLICIT_TASK, region->id, (uint64_t)index << 32 | region->size);
}

void jomp_parallel_begin(struct batch *batch, const struct site *site, uint64_t code, unsigned team_size)
{
  bool nested = jomp_thread_self && jomp_thread_self->depth > 0,
       recorded = jomp_budget_takes(batch, site, THREAD_ALONE, false, false);
  struct region *region =
      recorded ? jomp_thread_push(recorder_new_id(), site, code, nested ? 1 : team_size, true) : NULL;
  if (!nested)
    jomp_thread_team.omitted = !recorded;
  if (!nested && (region || !recorded)) {
    jomp_thread_team.id = region ? region->id : 0;
    jomp_thread_team.site = site;
    jomp_thread_team.code = code;
    jomp_thread_team.size = team_size;
  }
  if (!recorded)
    jomp_budget_self->guard.quiet = 1;
  if (!region)
    return;
  uint64_t requested = team_size < 0xffff ? team_size : 0xffff;
  batch_emit3(batch, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, region->code, requested << RAW_VALUE_BITS | region->id);
  profile_origin_note(region->id, (struct profile_origin){region->code, batch->now});
  if (jomp_is_alone(region))
    begin_body(batch, region, 0);
  follow(region);
}

static void leave_last_barrier(struct batch *batch, struct region *region)
{
  batch_emit(batch, RAW_BARRIER_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0);
  batch_emit(batch, RAW_IMPLICIT_END, IMPLICIT_TASK, 0);
  region->state = REGION_OVER;
  if (!region->owner)
    jomp_thread_self->depth--;
}

/* The body of a region of one thread ends. */
static void end_body_alone(struct batch *batch, struct region *region)
{
  end_wait(batch, region);
  jomp_work_end(batch, region);
  region->state = REGION_OVER;
  batch_emit(batch, RAW_IMPLICIT_END, IMPLICIT_TASK, 0);
}

void jomp_parallel_end(struct batch *batch)
{
  struct region *region = jomp_thread_innermost();
  if (region && region->owner) {
    if (region->state == REGION_BODY && jomp_is_alone(region))
      end_body_alone(batch, region);
    if (region->state == REGION_LAST_BARRIER)
      leave_last_barrier(batch, region);
    batch_emit(batch, RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, region->id);
    jomp_budget_ended(region->site, batch->now);
  }
  if (jomp_thread_self && jomp_thread_self->depth > 0)
    jomp_thread_self->depth--;
  if (!jomp_thread_self || jomp_thread_self->depth == 0)
    jomp_thread_team.size = 0; /* the next region may be begun by code without hooks */
  follow(jomp_thread_innermost());
}

/* A worker enters the team's region. NULL: the region is omitted. */
static struct region *join(struct batch *batch, JNIEnv *jni)
{
  struct jomp_budget *omitting = jomp_budget_of_thread(jni);
  bool omitted = jomp_thread_team.omitted;
  jomp_budget_joins(batch, jomp_thread_team.site, !omitted);
  if (omitted && omitting)
    omitting->guard.quiet = omitting->guard.member = 1;
  return omitted ? NULL
                 : jomp_thread_push(jomp_thread_team.id, jomp_thread_team.site, jomp_thread_team.code,
                                    jomp_thread_team.size, false);
}

void jomp_body_begin(struct batch *batch, unsigned index, JNIEnv *jni)
{
  struct region *region = jomp_thread_innermost();
  if (region && region->state == REGION_LAST_BARRIER && !region->owner) {
    leave_last_barrier(batch, region); /* a runtime whose workers wait there for the next region */
    region = jomp_thread_innermost();
  }
  if ((!jomp_thread_self || jomp_thread_self->depth == 0) && jomp_thread_team.size > 0)
    region = join(batch, jni);
  else if (region && jomp_is_alone(region))
    return; /* it began with the region */
  else if (region && region->state != REGION_BEGUN)
    region->inner_bodies++;
  if (!region || region->state != REGION_BEGUN)
    return;
  begin_body(batch, region, region->size > 1 ? index : 0);
  follow(region);
}

void jomp_body_end(struct batch *batch)
{
  struct region *region = jomp_thread_innermost();
  if (!region || jomp_is_alone(region) || !jomp_body(batch))
    return;
  if (region->inner_bodies > 0) {
    region->inner_bodies--;
    return;
  }
  jomp_work_end(batch, region);
  if (region->size > 1) {
    region->state = REGION_LAST_BARRIER;
    /* libomp does not report a place for workers, either; the region has it. */
    batch_emit(batch, RAW_BARRIER_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, region->owner ? region->code : 0);
    return;
  }
  end_body_alone(batch, region);
  jomp_thread_self->depth--; /* a worker: the size of its team was not known */
}

void jomp_left_global_barrier(struct batch *batch)
{
  struct region *region = jomp_thread_innermost();
  if (region && region->state == REGION_LAST_BARRIER)
    leave_last_barrier(batch, region);
}

bool jomp_takes_work(struct batch *batch, struct region *region, const struct site *site)
{
  jomp_work_end(batch, region);
  region->after_work = false;
  follow(region);
  return jomp_budget_takes(batch, site, region->id, region->size > 1, region->index > 0);
}

void jomp_work_begin(struct batch *batch, struct region *region, unsigned work, const struct site *site, uint64_t count)
{
  region->work = work;
  region->work_site = site;
  region->work_code = site->code;
  region->chunks_done = false;
  batch_emit3(batch, RAW_WORK_BEGIN, work, site->code, count);
  follow(region);
}

void jomp_loop_begin(struct batch *batch, struct region *region, const struct site *site,
                     const struct iterations *whole)
{
  jomp_work_begin(batch, region, site->work, site, loop_iterations(whole));
  region->whole = *whole;
}

void jomp_work_end(struct batch *batch, struct region *region)
{
  if (region->work == 0)
    return;
  batch_emit(batch, RAW_WORK_END, region->work, 0);
  jomp_budget_ended(region->work_site, batch->now);
  region->work = 0;
  region->after_work = true;
  follow(region);
}

void jomp_barrier_begin(struct batch *batch, struct region *region, uint64_t code)
{
  jomp_work_end(batch, region);
  region->wait_pauses = sites_pauses();
  region->wait = region->after_work ? SYNC_BARRIER_IMPLICIT_WORKSHARE : SYNC_BARRIER_EXPLICIT;
  batch_emit(batch, RAW_BARRIER_BEGIN, region->wait, region->after_work ? region->work_code : code);
  if (jomp_is_alone(region))
    end_wait(batch, region);
}

void jomp_reduction_begin(struct batch *batch, struct region *region, uint64_t code)
{
  jomp_work_end(batch, region);
  region->wait_pauses = sites_pauses();
  region->wait = SYNC_BARRIER_IMPLEMENTATION;
  batch_emit(batch, RAW_BARRIER_BEGIN, SYNC_BARRIER_IMPLEMENTATION, code);
  batch_emit(batch, RAW_REDUCTION_BEGIN, 0, code);
  if (jomp_is_alone(region))
    end_wait(batch, region);
}
