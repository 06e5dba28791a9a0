#include "jvmti-agent/runtimes/jomp_thread.h"

#include "common/profile/profile_origin.h"
#include "jvmti-agent/runtimes/jomp_critical.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/thinning.h"

#include <stdlib.h>

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
  bool left_out;
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
  if (!thinning_self)
    return;
  thinning_self->guard.busy = region && region->state == REGION_BODY && (region->work != 0 || region->after_work);
  thinning_self->guard.alone = region && jomp_is_alone(region);
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
    thinning_ended(region->work_site, batch->now);
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
       recorded = thinning_takes(batch, site, THREAD_ALONE, false, false);
  struct region *region =
      recorded ? jomp_thread_push(recorder_new_id(), site, code, nested ? 1 : team_size, true) : NULL;
  if (!nested)
    jomp_thread_team.left_out = !recorded;
  if (!nested && (region || !recorded)) {
    jomp_thread_team.id = region ? region->id : 0;
    jomp_thread_team.site = site;
    jomp_thread_team.code = code;
    jomp_thread_team.size = team_size;
  }
  if (!recorded)
    thinning_self->guard.quiet = 1;
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
    thinning_ended(region->site, batch->now);
  }
  if (jomp_thread_self && jomp_thread_self->depth > 0)
    jomp_thread_self->depth--;
  if (!jomp_thread_self || jomp_thread_self->depth == 0)
    jomp_thread_team.size = 0; /* the next region may be begun by code without hooks */
  follow(jomp_thread_innermost());
}

/* A worker comes into the team's region. NULL: that is left out. */
static struct region *join(struct batch *batch, JNIEnv *jni)
{
  struct thinning *thinning = thinning_of_thread(jni);
  bool left_out = jomp_thread_team.left_out;
  thinning_joins(batch, jomp_thread_team.site, !left_out);
  if (left_out && thinning)
    thinning->guard.quiet = thinning->guard.member = 1;
  return left_out ? NULL
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
  return thinning_takes(batch, site, region->id, region->size > 1, region->index > 0);
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
  thinning_ended(region->work_site, batch->now);
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
