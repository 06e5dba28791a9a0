#include "analyzer/imbalance/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t instance_bytes(uint32_t size)
{
  return sizeof(struct instance) + size * sizeof(struct instance_member);
}

void instance_begin(struct instance *instance, uint32_t region, uint32_t size)
{
  memset(instance, 0, instance_bytes(size));
  instance->region = region;
  instance->parallel = TRACE_NONE;
  instance->size = size;
  instance->enter = UINT64_MAX;
  instance->busy_min = UINT64_MAX;
  instance->last = TRACE_NONE;
}

/* One thread's sums for a construct; NULL: no memory. */
static struct imbalance_thread *thread_sums(const struct instance_sums *sums, uint32_t region, uint32_t location)
{
  struct imbalance_construct *construct = &sums->imbalance->constructs[region];
  if (!construct->by_thread)
    construct->by_thread = calloc(sums->location_count, sizeof *construct->by_thread);
  return construct->by_thread ? &construct->by_thread[location] : NULL;
}

bool instance_add(struct instance *instance, const struct instance_sums *sums, uint32_t rank, uint32_t location,
                  const struct piece *piece)
{
  instance->arrived++;
  instance->busy += piece->busy;
  instance->overhead += piece->overhead;
  instance->wait += piece->wait;
  instance->chunks += piece->chunks;
  instance->iterations += piece->iterations;
  if (piece->busy > instance->busy_max)
    instance->busy_max = piece->busy;
  if (piece->busy < instance->busy_min)
    instance->busy_min = piece->busy;
  if (piece->enter < instance->enter)
    instance->enter = piece->enter;
  if (piece->begin > instance->last_enter)
    instance->last_enter = piece->begin;
  if (piece->end > instance->end)
    instance->end = piece->end;
  if (instance->parallel == TRACE_NONE)
    instance->parallel = piece->parallel;
  instance->members[rank].joined = true;
  instance->members[rank].wait = piece->wait;
  if (piece->has_barrier && (instance->last == TRACE_NONE || piece->arrival > instance->last_arrival)) {
    instance->last = rank;
    instance->last_arrival = piece->arrival;
  }
  struct imbalance_thread *thread = thread_sums(sums, instance->region, location);
  if (!thread)
    return false;
  thread->calls++;
  thread->busy += piece->busy;
  thread->wait += piece->wait;
  thread->chunks += piece->chunks;
  thread->iterations += piece->iterations;
  return true;
}

static bool add_waits(const struct instance *instance, const struct instance_sums *sums, const struct trace_team *team)
{
  if (instance->last == TRACE_NONE)
    return true;
  uint32_t last = team->members[instance->last];
  struct imbalance_thread *thread = thread_sums(sums, instance->region, last);
  if (!thread)
    return false;
  thread->last++;
  thread->waited_for += instance->wait - instance->members[instance->last].wait;
  for (uint32_t rank = 0; sums->waits && rank < instance->size; rank++) {
    uint64_t wait = instance->members[rank].wait;
    if (rank != instance->last && wait > 0 &&
        !waits_add(sums->waits, instance->region, team->members[rank], last, wait))
      return false;
  }
  return true;
}

/* See to_win. */
static double lost_ticks(const struct instance *instance, double imbalance)
{
  double mean_wait = (double)instance->wait / instance->size;
  bool capped = instance->team && instance->last != TRACE_NONE && mean_wait < imbalance;
  return capped ? mean_wait : imbalance;
}

bool instance_finish(const struct instance *instance, const struct instance_sums *sums, const struct trace_team *team)
{
  if (instance->region == TRACE_NONE || instance->arrived == 0)
    return true;
  struct imbalance_construct *construct = &sums->imbalance->constructs[instance->region];
  double n = instance->size;
  double mean = (double)instance->busy / n;
  double imbalance = (double)instance->busy_max - mean;
  uint64_t elapsed = instance->end - instance->enter;
  construct->calls++;
  construct->incomplete += instance->arrived < instance->size;
  if (instance->size > construct->threads)
    construct->threads = instance->size;
  if (construct->calls == 1)
    construct->parallel = instance->parallel;
  construct->elapsed += elapsed;
  construct->busy += instance->busy;
  construct->capacity += elapsed * instance->size;
  construct->busy_max += instance->busy_max;
  construct->busy_min += instance->arrived < instance->size ? 0 : instance->busy_min;
  construct->busy_mean += mean;
  construct->imbalance += imbalance;
  construct->imbalance_scaled += n > 1 ? imbalance * n / (n - 1) : 0;
  double lost = lost_ticks(instance, imbalance);
  uint64_t late = instance->team ? 0 : instance->last_enter - instance->enter;
  construct->lost += lost;
  double to_win = lost + (double)late + (double)instance->overhead / n;
  to_win = fmin(to_win, fmax(0, (double)elapsed - mean));
  construct->to_win += to_win;
  construct->lost_capacity += to_win * n;
  construct->overhead += (double)instance->overhead / n;
  construct->late += late;
  construct->wait += instance->wait;
  construct->chunks += instance->chunks;
  construct->iterations += instance->iterations;
  return add_waits(instance, sums, team);
}
