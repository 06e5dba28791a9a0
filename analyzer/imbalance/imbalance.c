#include "analyzer/imbalance/imbalance.h"

#include "analyzer/imbalance/follower.h"
#include "analyzer/imbalance/matcher.h"
#include "analyzer/trace/time_heap.h"

#include <stdlib.h>

/*
 * Works in rounds. In a round one worker matches the pieces that are ready, while the others read locations on that
 * have few, each by a batch of events. What they have read is ready in the next round. A location that had enough and
 * is used up is read on by the matching worker itself: a round for each such one would look at all the others in vain.
 */
#define BATCH_MAX   16384                /* events of a location a round: rounds must be worth waking the workers for */
#define BATCH_MIN   256                  /* ... also where there are many locations */
#define ALL_BATCHES (16 * BATCH_MAX)     /* events of all locations a round, as far as BATCH_MIN allows */
#define ALL_PIECES  (16 * BATCH_MAX / 4) /* pieces of all locations that may wait before fewer are read */

struct location {
  struct follower *follower; /* NULL: not opened yet, or read to the end */
  struct piece_queue ready;  /* pieces to be matched in this round; not those that are read meanwhile */
  bool wanted;               /* read in this round, by any worker */
  bool ended;                /* no other pieces will come */
  uint64_t first, last;      /* times of its first event, and of the last one that was read in earlier rounds */
  uint64_t unmeasured;
  struct trace_error error;
};

struct job {
  const struct trace *trace;
  struct follower_tables tables;
  struct location *locations;
  uint32_t *wanting; /* locations to be read on in this round */
  uint32_t wanting_count;
  uint64_t batch;       /* events of each of them */
  size_t enough_pieces; /* a location that has more is not read on */
  struct matcher *matcher;
  struct time_heap heap; /* locations that have or may get pieces, by how far they are */
};

/* How far a location is: the time of its next piece, or the time before which no piece of it can be. */
static uint64_t reached(const struct location *location)
{
  return location->ready.count > 0 ? piece_queue_first(&location->ready)->time : location->last;
}

static void order(struct job *job)
{
  struct time_heap *heap = &job->heap;
  for (uint32_t i = 0; i < heap->count; i++)
    heap->entries[i].time = reached(&job->locations[heap->entries[i].location]);
  time_heap_order(heap);
}

static bool read_on(struct job *job, uint32_t index)
{
  struct location *location = &job->locations[index];
  if (!location->follower)
    location->follower = follower_open(job->trace, index, &job->tables, &location->error);
  return location->follower && follower_read(location->follower, job->batch);
}

/* Makes ready what was read of a location. */
static bool make_ready(struct location *location)
{
  if (!piece_queue_move(&location->ready, follower_queue(location->follower)))
    return false;
  location->first = follower_first(location->follower);
  location->last = follower_reached(location->follower);
  location->ended = follower_ended(location->follower);
  location->unmeasured = follower_unmeasured(location->follower);
  if (location->ended) {
    follower_close(location->follower);
    location->follower = NULL;
  }
  return true;
}

/* Matches pieces in order of time, until the next one may be of a location that is just being read. */
static bool match(struct job *job)
{
  order(job);
  while (job->heap.count > 0) {
    uint32_t next = job->heap.entries[0].location;
    struct location *location = &job->locations[next];
    if (location->ready.count > 0) {
      if (!matcher_take(job->matcher, next, piece_queue_first(&location->ready)))
        return false;
      piece_queue_drop_first(&location->ready);
    } else if (location->ended) {
      time_heap_drop_first(&job->heap);
      continue;
    } else if (location->wanted) {
      return true;
    } else if (!read_on(job, next) || !make_ready(location)) {
      return false;
    }
    time_heap_move_first(&job->heap, reached(location));
  }
  return true;
}

/* A worker's share of a round. */
static bool do_item(void *context, unsigned worker, uint32_t item)
{
  (void)worker;
  struct job *job = context;
  return item == 0 ? match(job) : read_on(job, job->wanting[item - 1]);
}

static uint64_t batch_of(uint32_t locations)
{
  uint64_t batch = ALL_BATCHES / (locations + 1);
  return batch > BATCH_MAX ? BATCH_MAX : batch < BATCH_MIN ? BATCH_MIN : batch;
}

/* Chooses who is read on: everybody who has few pieces left. The fewer they are, the further, for a round costs as much
 * for one as for all. */
static void choose_wanting(struct job *job)
{
  job->wanting_count = 0;
  for (uint32_t i = 0; i < job->heap.count; i++) {
    struct location *location = &job->locations[job->heap.entries[i].location];
    location->wanted = !location->ended && location->ready.count < job->enough_pieces;
    if (location->wanted)
      job->wanting[job->wanting_count++] = job->heap.entries[i].location;
  }
  job->batch = batch_of(job->wanting_count);
}

/* Makes ready what was read in this round. */
static bool collect(struct job *job)
{
  for (uint32_t i = 0; i < job->wanting_count; i++) {
    struct location *location = &job->locations[job->wanting[i]];
    location->wanted = false;
    if (!make_ready(location))
      return false;
  }
  return true;
}

/* Why a round failed: if it was no location, there was no memory to match with. */
static bool fail(const struct job *job, struct trace_error *error)
{
  for (uint32_t i = 0; i < job->trace->location_count; i++) {
    if (job->locations[i].error.message[0]) {
      *error = job->locations[i].error;
      return false;
    }
  }
  return trace_fail(error, "%s: out of memory", job->trace->anchor);
}

static bool run(struct job *job, struct pool *pool, struct trace_error *error)
{
  while (job->heap.count > 0) {
    choose_wanting(job);
    if (!pool_run(pool, job->wanting_count + 1, do_item, job) || !collect(job))
      return fail(job, error);
  }
  return matcher_finish(job->matcher) || fail(job, error);
}

static bool prepare(struct job *job, struct imbalance *imbalance, bool with_waits)
{
  const struct trace *trace = job->trace;
  uint32_t count = trace->location_count;
  *imbalance = (struct imbalance){.count = trace->region_count};
  imbalance->constructs = calloc(trace->region_count + 1, sizeof *imbalance->constructs);
  job->locations = calloc(count + 1, sizeof *job->locations);
  job->wanting = calloc(count + 1, sizeof *job->wanting);
  bool good = follower_tables_make(trace, &job->tables);
  if (!good || !imbalance->constructs || !job->locations || !job->wanting || !time_heap_init(&job->heap, count))
    return false;
  job->matcher = matcher_create(trace, imbalance, with_waits);
  for (uint32_t i = 0; i < trace->region_count; i++)
    imbalance->constructs[i].parallel = TRACE_NONE;
  for (uint32_t i = 0; i < count; i++)
    time_heap_add(&job->heap, 0, i);
  job->enough_pieces = batch_of(count) * ALL_PIECES / ALL_BATCHES;
  return job->matcher != NULL;
}

bool imbalance_analyze(const struct trace *trace, struct pool *pool, bool with_waits, struct imbalance *imbalance,
                       struct trace_error *error)
{
  struct job job = {.trace = trace};
  bool good = prepare(&job, imbalance, with_waits);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && run(&job, pool, error);
  for (uint32_t i = 0; job.locations && i < trace->location_count; i++) {
    struct location *location = &job.locations[i];
    follower_close(location->follower);
    piece_queue_free(&location->ready);
    if (trace->locations[i].type == TRACE_THREAD_JVM) /* nothing can be won there */
      continue;
    imbalance->lifetimes += location->last - location->first - location->unmeasured;
    imbalance->unmeasured += location->unmeasured;
  }
  matcher_destroy(job.matcher);
  follower_tables_free(&job.tables);
  free(job.locations);
  free(job.wanting);
  time_heap_free(&job.heap);
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
