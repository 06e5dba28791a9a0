#include "analyzer/analyses/calls/blame.h"

#include "analyzer/analyses/calls/blamed.h"
#include "analyzer/analyses/calls/history.h"
#include "analyzer/analyses/waits/wakers.h"

#include <stdlib.h>

enum { CHAIN_MOST = 64 }; /* threads that wait for each other; of more it is not known what they did */

/* Waiting whose reason is not known yet. */
struct open_wait {
  uint64_t begin, end;
  bool idle;
};

struct thread {
  struct history history;
  VECTOR(struct open_wait) waits; /* in order of time */
  struct samples_stream *stream;
  uint64_t until;  /* what it did is known up to then */
  uint32_t forker; /* that gave it work last; TRACE_NONE: none */
  bool begun, stopped;
};

/* A worker that is idle to its end. */
struct tail {
  uint32_t forker;
  uint64_t begin, end;
};

struct calls_blamer {
  const struct trace *trace;
  const struct samples *samples;
  uint32_t trigger;
  struct wakers *wakers;
  struct wakers_listener listener;
  struct thread *threads; /* by location */
  VECTOR(struct tail) tails;
  struct key_sums ticks, meanwhile; /* as blamed.h */
  struct calls_blame blame;
  struct error unused; /* of streams of samples: the pass' sums read them, too, and report the error */
  bool failed;         /* no memory */
};

static uint64_t earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* Before that, no thread can have begun to wait whose wait is to be blamed. */
static uint64_t needed(void *context)
{
  const struct calls_blamer *blamer = context;
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < blamer->trace->location_count; i++) {
    const struct thread *thread = &blamer->threads[i];
    if (thread->waits.count > 0)
      least = earlier(least, thread->waits.items[0].begin);
    else if (thread->begun && !thread->stopped)
      least = earlier(least, thread->until);
  }
  for (size_t i = 0; i < blamer->tails.count; i++)
    least = earlier(least, blamer->tails.items[i].begin);
  return least;
}

static void add_piece(struct calls_blamer *blamer, uint32_t location, const struct history_piece *piece)
{
  blamer->failed |= !history_add(&blamer->threads[location].history, piece, needed, blamer);
}

/* A thread worked in a construct while another one waited for it. */
static void blame_work(struct calls_blamer *blamer, uint32_t location, uint32_t construct, uint64_t begin, uint64_t end)
{
  const struct history *history = &blamer->threads[location].history;
  blamer->failed |= !key_sums_add(&blamer->ticks, &(struct key_sum){{location, construct}, {end - begin}});
  for (size_t i = history_find_sample(history, begin); i < history->samples.count; i++) {
    const struct history_sample *sample = &history->samples.items[i];
    if (sample->time >= end)
      return;
    blamer->failed |=
        !key_sums_add(&blamer->meanwhile, &(struct key_sum){{location, construct, sample->context}, {sample->weight}});
  }
}

static void blame_thread(struct calls_blamer *blamer, uint32_t location, uint64_t begin, uint64_t end, unsigned chain)
{
  const struct history *history = &blamer->threads[location].history;
  wide_total *unblamed = blamer->blame.unblamed;
  uint64_t now = begin;
  for (size_t i = history_find(history, begin); i < history->pieces.count && now < end; i++) {
    struct history_piece piece = history->pieces.items[i];
    uint64_t from = earlier(later(piece.begin, now), end), to = earlier(piece.end, end);
    unblamed[UNBLAMED_NOT_KNOWN] += from - now;
    now = later(from, to);
    if (from >= to)
      continue;
    if (piece.kind == PIECE_WORK) {
      blame_work(blamer, location, piece.what, from, to);
    } else if (piece.kind == PIECE_NOTHING || chain == CHAIN_MOST) {
      unblamed[piece.kind == PIECE_NOTHING ? piece.reason : UNBLAMED_NOT_KNOWN] += to - from;
    } else {
      uint64_t woken = earlier(later(piece.woken, from), to);
      blame_thread(blamer, piece.what, from, woken, chain + 1);
      unblamed[UNBLAMED_WAKING] += to - woken;
    }
  }
  unblamed[UNBLAMED_NOT_KNOWN] += end > now ? end - now : 0;
}

static void blame_nobody(struct calls_blamer *blamer, uint32_t location, uint64_t begin, uint64_t end,
                         enum calls_unblamed reason)
{
  if (begin >= end)
    return;
  blamer->blame.unblamed[reason] += end - begin;
  add_piece(blamer, location,
            &(struct history_piece){.begin = begin, .end = end, .kind = PIECE_NOTHING, .reason = (uint8_t)reason});
}

static enum calls_unblamed reason_of(enum wake_how how)
{
  static const enum calls_unblamed reasons[WAKE_HOWS] = {[WAKE_BY_THREAD] = UNBLAMED_UNKNOWN_WAKER,
                                                         [WAKE_AMBIGUOUS] = UNBLAMED_AMBIGUOUS,
                                                         [WAKE_INTERRUPTED] = UNBLAMED_UNKNOWN_WAKER,
                                                         [WAKE_TIMED_OUT] = UNBLAMED_TIMED_OUT,
                                                         [WAKE_ITSELF] = UNBLAMED_ITSELF,
                                                         [WAKE_BY_IO] = UNBLAMED_UNKNOWN_WAKER,
                                                         [WAKE_UNKNOWN] = UNBLAMED_UNKNOWN_WAKER,
                                                         [WAKE_CUT] = UNBLAMED_NOT_ENDED};
  return reasons[how];
}

static void take_wait(struct calls_blamer *blamer, const struct wakers_woken *woken, uint64_t begin, uint64_t end)
{
  bool known = woken->how == WAKE_BY_THREAD || woken->how == WAKE_INTERRUPTED;
  if (begin >= end)
    return;
  if (!known || woken->from == TRACE_NONE || woken->from == woken->location) {
    blame_nobody(blamer, woken->location, begin, end, reason_of(woken->how));
    return;
  }
  uint64_t over = earlier(later(woken->from_time, begin), end);
  blame_thread(blamer, woken->from, begin, over, 0);
  blamer->blame.unblamed[UNBLAMED_WAKING] += end - over;
  add_piece(blamer, woken->location,
            &(struct history_piece){
                .begin = begin, .end = end, .kind = PIECE_WAIT, .what = woken->from, .woken = woken->from_time});
}

static bool take_woken(void *context, const struct wakers_woken *woken)
{
  struct calls_blamer *blamer = context;
  struct thread *thread = &blamer->threads[woken->location];
  for (size_t i = 0; i < thread->waits.count; i++) {
    struct open_wait wait = thread->waits.items[i];
    uint64_t since = earlier(later(woken->since, wait.begin), wait.end),
             end = earlier(wait.end, later(woken->time, since));
    blame_nobody(blamer, woken->location, wait.begin, since, UNBLAMED_UNKNOWN_WAKER);
    take_wait(blamer, woken, since, end);
    blame_nobody(blamer, woken->location, end, wait.end, UNBLAMED_UNKNOWN_WAKER);
    if (wait.idle && woken->how == WAKE_BY_THREAD && woken->from != TRACE_NONE)
      thread->forker = woken->from;
  }
  thread->waits.count = 0;
  return !blamer->failed;
}

/* Nobody has said why it waited. */
static void give_up(struct calls_blamer *blamer, uint32_t location, enum calls_unblamed reason)
{
  struct thread *thread = &blamer->threads[location];
  for (size_t i = 0; i < thread->waits.count; i++)
    blame_nobody(blamer, location, thread->waits.items[i].begin, thread->waits.items[i].end, reason);
  thread->waits.count = 0;
}

/* Samples up to the end of an interval; those of work are kept. */
static void take_samples(struct calls_blamer *blamer, struct thread *thread, const struct state_interval *interval,
                         bool work)
{
  const struct samples_event *sample;
  while (thread->stream && (sample = samples_stream_peek(thread->stream)) != NULL && sample->time < interval->end) {
    if (work && sample->time >= interval->start && sample->trigger == blamer->trigger)
      blamer->failed |= !history_add_sample(&thread->history, sample, needed, blamer);
    samples_stream_take(thread->stream);
  }
}

static void take_work(struct calls_blamer *blamer, uint32_t location, const struct state_interval *interval)
{
  struct history_piece piece = {
      .begin = interval->start, .end = interval->end, .kind = PIECE_WORK, .what = interval->construct};
  if (interval->state == STATE_UNMEASURED || interval->state == STATE_READY || interval->state == STATE_OFF) {
    piece.kind = PIECE_NOTHING;
    piece.what = 0;
    piece.reason = interval->state == STATE_UNMEASURED ? UNBLAMED_UNMEASURED : UNBLAMED_NO_PROCESSOR;
  }
  take_samples(blamer, &blamer->threads[location], interval, piece.kind == PIECE_WORK);
  add_piece(blamer, location, &piece);
}

static bool take_begin(void *context, uint32_t location, uint64_t time)
{
  struct calls_blamer *blamer = context;
  blamer->threads[location].begun = true;
  blamer->threads[location].until = time;
  return true;
}

static bool take_did(void *context, uint32_t location, const struct state_interval *interval)
{
  struct calls_blamer *blamer = context;
  struct thread *thread = &blamer->threads[location];
  thread->until = interval->end;
  if (!state_is_wait(interval->state)) {
    give_up(blamer, location, UNBLAMED_UNKNOWN_WAKER);
    take_work(blamer, location, interval);
    return !blamer->failed;
  }
  struct open_wait wait = {interval->start, interval->end, interval->state == STATE_IDLE};
  take_samples(blamer, thread, interval, false);
  blamer->blame.waiting += interval->end - interval->start;
  blamer->failed |= !vector_push(&thread->waits, wait);
  return !blamer->failed;
}

static bool take_stop(void *context, uint32_t location, uint64_t time)
{
  (void)time;
  struct calls_blamer *blamer = context;
  struct thread *thread = &blamer->threads[location];
  for (size_t i = 0; i < thread->waits.count; i++) {
    const struct open_wait *wait = &thread->waits.items[i];
    struct tail tail = {thread->forker, wait->begin, wait->end};
    if (wait->idle && thread->forker != TRACE_NONE)
      blamer->failed |= !vector_push(&blamer->tails, tail);
    else
      blame_nobody(blamer, location, wait->begin, wait->end, UNBLAMED_NOT_ENDED);
  }
  thread->waits.count = 0;
  thread->stopped = true;
  return !blamer->failed;
}

static bool open_threads(struct calls_blamer *blamer)
{
  const struct trace *trace = blamer->trace;
  size_t most = HISTORY_ALL / ((size_t)trace->location_count + 1);
  blamer->threads = calloc((size_t)trace->location_count + 1, sizeof *blamer->threads);
  for (uint32_t i = 0; blamer->threads && i < trace->location_count; i++) {
    struct thread *thread = &blamer->threads[i];
    thread->history.most = most < HISTORY_LEAST ? HISTORY_LEAST : most > HISTORY_MOST ? HISTORY_MOST : most;
    thread->forker = TRACE_NONE;
    if (trace_is_thread(trace, i) &&
        !(thread->stream = samples_stream_open(blamer->samples, &trace->locations[i], &blamer->unused)))
      return false;
  }
  return blamer->threads != NULL;
}

struct calls_blamer *calls_blame_begin(const struct trace *trace, const struct samples *samples, uint32_t trigger,
                                       struct error *error)
{
  struct calls_blamer *blamer = calloc(1, sizeof *blamer);
  if (!blamer) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  blamer->trace = trace;
  blamer->samples = samples;
  blamer->trigger = trigger;
  blamer->listener = (struct wakers_listener){blamer, take_begin, take_did, take_woken, take_stop};
  bool good = open_threads(blamer) || error_set(error, "%s: out of memory", trace->anchor);
  if (good && (blamer->wakers = wakers_begin(trace, error)) != NULL) {
    wakers_listen(blamer->wakers, &blamer->listener);
    return blamer;
  }
  calls_blame_drop(blamer);
  return NULL;
}

const struct subscriber *calls_blame_subscriber(const struct calls_blamer *blamer)
{
  return wakers_subscriber(blamer->wakers);
}

void calls_blame_drop(struct calls_blamer *blamer)
{
  if (!blamer)
    return;
  for (uint32_t i = 0; blamer->threads && i < blamer->trace->location_count; i++) {
    history_free(&blamer->threads[i].history);
    vector_free(&blamer->threads[i].waits);
    samples_stream_close(blamer->threads[i].stream);
  }
  free(blamer->threads);
  wakers_drop(blamer->wakers);
  vector_free(&blamer->tails);
  key_sums_free(&blamer->ticks);
  key_sums_free(&blamer->meanwhile);
  calls_blame_free(&blamer->blame);
  free(blamer);
}

static bool blame_finish(struct calls_blamer *blamer, struct error *error)
{
  struct waits waits;
  struct critical_paths paths;
  bool good = wakers_end(blamer->wakers, &waits, &paths, error); /* the last steps come then */
  blamer->wakers = NULL;
  waits_free(&waits);
  critical_paths_free(&paths);
  for (uint32_t i = 0; good && i < blamer->trace->location_count; i++)
    give_up(blamer, i, UNBLAMED_NOT_ENDED);
  for (size_t i = 0; good && i < blamer->tails.count; i++) {
    const struct tail *tail = &blamer->tails.items[i];
    blame_thread(blamer, tail->forker, tail->begin, tail->end, 0);
  }
  return good;
}

bool calls_blame_end(struct calls_blamer *blamer, const struct calls *calls, struct calls_blame *blame,
                     struct error *error)
{
  *blame = (struct calls_blame){0};
  bool good = blame_finish(blamer, error);
  if (good) {
    good = (!blamer->failed &&
            blamed_cells(blamer->trace, &blamer->ticks, &blamer->meanwhile, calls, blamer->trigger, &blamer->blame)) ||
           error_set(error, "%s: out of memory", blamer->trace->anchor);
    *blame = blamer->blame;
    blamer->blame = (struct calls_blame){0};
  }
  calls_blame_drop(blamer);
  return good;
}
