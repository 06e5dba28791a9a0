#include "analyzer/imbalance/imbalance.h"

#include "analyzer/imbalance/follower.h"
#include "analyzer/imbalance/matcher.h"

#include <stdlib.h>
#include <sys/resource.h>

/* Pieces a location may have waiting before it is read on; and how many events it is then read on. */
#define ENOUGH_PIECES 512
#define MIN_BATCH     256
#define ALL_BATCHES   (64 * TRACE_BATCH) /* events of all locations together that may be under way */

struct location {
  struct follower *follower; /* NULL: not opened yet, or read to the end */
  bool ended;
  uint64_t first, last; /* times of its first and last event */
  struct trace_error error;
};

struct job {
  const struct trace *trace;
  const uint8_t *rules;
  struct location *locations;
  uint32_t *wanting; /* locations to be read on in this round */
  uint32_t wanting_count;
  uint64_t batch;
  struct matcher *matcher;
  uint32_t *heap; /* locations that have or may get pieces, the one furthest behind first */
  uint32_t heap_count;
};

/* Locations stay open until they are read to the end: that can be more files than a process has by default. */
static void allow_many_files(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

static bool read_on(void *context, unsigned worker, uint32_t item)
{
  (void)worker;
  struct job *job = context;
  uint32_t index = job->wanting[item];
  struct location *location = &job->locations[index];
  if (!location->follower)
    location->follower = follower_open(job->trace, index, job->rules, &location->error);
  if (!location->follower || !follower_read(location->follower, job->batch))
    return false;
  location->ended = follower_ended(location->follower);
  location->first = follower_first(location->follower);
  location->last = follower_reached(location->follower);
  return true;
}

/* Of a location: the time of its next piece, or the time before which no piece of it can be. */
static uint64_t key_of(const struct job *job, uint32_t index)
{
  const struct location *location = &job->locations[index];
  if (!location->follower)
    return 0;
  const struct piece_queue *queue = follower_queue(location->follower);
  return queue->count > 0 ? queue->items[queue->head].time : location->last;
}

static void sift_down(struct job *job, uint32_t at)
{
  uint32_t moving = job->heap[at];
  uint64_t key = key_of(job, moving);
  for (uint32_t child; (child = 2 * at + 1) < job->heap_count; at = child) {
    uint64_t child_key = key_of(job, job->heap[child]);
    if (child + 1 < job->heap_count && key_of(job, job->heap[child + 1]) < child_key)
      child_key = key_of(job, job->heap[++child]);
    if (key <= child_key)
      break;
    job->heap[at] = job->heap[child];
  }
  job->heap[at] = moving;
}

/* Chooses who is read on: everybody who has few pieces left. */
static void choose_wanting(struct job *job)
{
  job->wanting_count = 0;
  for (uint32_t i = 0; i < job->heap_count; i++) {
    const struct location *location = &job->locations[job->heap[i]];
    if (!location->ended && (!location->follower || follower_queue(location->follower)->count < ENOUGH_PIECES))
      job->wanting[job->wanting_count++] = job->heap[i];
  }
}

/* Matches pieces in order of time, until the location furthest behind must be read on. */
static bool match(struct job *job)
{
  while (job->heap_count > 0) {
    uint32_t index = job->heap[0];
    struct location *location = &job->locations[index];
    struct piece_queue *queue = follower_queue(location->follower);
    if (queue->count > 0) {
      if (!matcher_take(job->matcher, index, &queue->items[queue->head]))
        return false;
      queue->head++;
      if (--queue->count == 0)
        queue->head = 0;
    } else if (location->ended) {
      follower_close(location->follower);
      location->follower = NULL;
      job->heap[0] = job->heap[--job->heap_count];
    } else {
      return true;
    }
    if (job->heap_count > 0)
      sift_down(job, 0);
  }
  return true;
}

static bool run(struct job *job, struct pool *pool, struct trace_error *error)
{
  while (job->heap_count > 0) {
    choose_wanting(job);
    if (!pool_run(pool, job->wanting_count, read_on, job)) {
      for (uint32_t i = 0; i < job->trace->location_count; i++) {
        if (job->locations[i].error.message[0])
          *error = job->locations[i].error;
      }
      return false;
    }
    for (uint32_t i = job->heap_count / 2; i-- > 0;)
      sift_down(job, i);
    if (!match(job))
      return trace_fail(error, "%s: out of memory", job->trace->anchor);
  }
  return matcher_finish(job->matcher) || trace_fail(error, "%s: out of memory", job->trace->anchor);
}

static bool prepare(struct job *job, struct imbalance *imbalance, bool with_waits)
{
  const struct trace *trace = job->trace;
  uint32_t count = trace->location_count;
  *imbalance = (struct imbalance){.count = trace->region_count};
  imbalance->constructs = calloc(trace->region_count + 1, sizeof *imbalance->constructs);
  job->rules = machine_rules(trace);
  job->locations = calloc(count + 1, sizeof *job->locations);
  job->wanting = calloc(count + 1, sizeof *job->wanting);
  job->heap = calloc(count + 1, sizeof *job->heap);
  if (!imbalance->constructs || !job->rules || !job->locations || !job->wanting || !job->heap)
    return false;
  job->matcher = matcher_create(trace, imbalance, with_waits);
  for (uint32_t i = 0; i < trace->region_count; i++)
    imbalance->constructs[i].parallel = TRACE_NONE;
  for (uint32_t i = 0; i < count; i++)
    job->heap[i] = i;
  job->heap_count = count;
  job->batch = ALL_BATCHES / (count + 1);
  job->batch = job->batch > TRACE_BATCH ? TRACE_BATCH : job->batch < MIN_BATCH ? MIN_BATCH : job->batch;
  return job->matcher != NULL;
}

bool imbalance_analyze(const struct trace *trace, struct pool *pool, bool with_waits, struct imbalance *imbalance,
                       struct trace_error *error)
{
  struct job job = {.trace = trace};
  allow_many_files();
  bool good = prepare(&job, imbalance, with_waits);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && run(&job, pool, error);
  for (uint32_t i = 0; job.locations && i < trace->location_count; i++) {
    const struct location *location = &job.locations[i];
    follower_close(location->follower);
    imbalance->lifetimes += location->last - location->first;
  }
  matcher_destroy(job.matcher);
  free((void *)job.rules);
  free(job.locations);
  free(job.wanting);
  free(job.heap);
  return good;
}

void imbalance_free(struct imbalance *imbalance)
{
  for (uint32_t i = 0; imbalance->constructs && i < imbalance->count; i++)
    free(imbalance->constructs[i].by_thread);
  free(imbalance->constructs);
  free(imbalance->waits);
  *imbalance = (struct imbalance){0};
}

uint32_t imbalance_slowest(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t slowest = TRACE_NONE;
  uint64_t most = 0;
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++) {
    if (construct->by_thread[i].waited_for > most) {
      most = construct->by_thread[i].waited_for;
      slowest = i;
    }
  }
  return slowest;
}
