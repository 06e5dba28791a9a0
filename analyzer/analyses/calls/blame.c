#include "analyzer/analyses/calls/blame.h"

#include "analyzer/analyses/calls/blamed.h"
#include "analyzer/analyses/calls/history.h"
#include "analyzer/analyses/waits/wakers.h"
#include "base/count_of.h"

#include <stdlib.h>

enum { CHAIN_MOST = 64 }; /* threads that wait for each other; of more it is not known what they did */

/* Waiting whose reason is not known yet. */
struct blamed_wait {
  uint64_t begin, end;
  bool idle;
};

struct blamed_thread {
  struct history history;
  VECTOR(struct blamed_wait) waits; /* in order of time */
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

struct blame_analysis {
  const struct trace *trace;
  const struct samples *samples;
  uint32_t trigger;
  const struct calls *calls;
  struct running_analysis waits;
  struct wakers_listener listener;
  struct waits_options options;
  struct blamed_thread *threads; /* by location */
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
static uint64_t blame_needs(void *context)
{
  const struct blame_analysis *analysis = context;
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < analysis->trace->location_count; i++) {
    const struct blamed_thread *thread = &analysis->threads[i];
    if (thread->waits.count > 0)
      least = earlier(least, thread->waits.items[0].begin);
    else if (thread->begun && !thread->stopped)
      least = earlier(least, thread->until);
  }
  for (size_t i = 0; i < analysis->tails.count; i++)
    least = earlier(least, analysis->tails.items[i].begin);
  return least;
}

static void add_piece(struct blame_analysis *analysis, uint32_t location, const struct history_piece *piece)
{
  analysis->failed |= !history_add(&analysis->threads[location].history, piece, blame_needs, analysis);
}

/* A thread worked in a construct while another one waited for it. */
static void blame_work(struct blame_analysis *analysis, uint32_t location, uint32_t construct, uint64_t begin,
                       uint64_t end)
{
  const struct history *history = &analysis->threads[location].history;
  analysis->failed |= !key_sums_add(&analysis->ticks, &(struct key_sum){{location, construct}, {end - begin}});
  for (size_t i = history_find_sample(history, begin); i < history->samples.count; i++) {
    const struct history_sample *sample = &history->samples.items[i];
    if (sample->time >= end)
      return;
    analysis->failed |= !key_sums_add(&analysis->meanwhile,
                                      &(struct key_sum){{location, construct, sample->context}, {sample->weight}});
  }
}

static void blame_thread(struct blame_analysis *analysis, uint32_t location, uint64_t begin, uint64_t end,
                         unsigned chain)
{
  const struct history *history = &analysis->threads[location].history;
  wide_total *unblamed = analysis->blame.unblamed;
  uint64_t now = begin;
  for (size_t i = history_find(history, begin); i < history->pieces.count && now < end; i++) {
    struct history_piece piece = history->pieces.items[i];
    uint64_t from = earlier(later(piece.begin, now), end), to = earlier(piece.end, end);
    unblamed[UNBLAMED_NOT_KNOWN] += from - now;
    now = later(from, to);
    if (from >= to)
      continue;
    if (piece.kind == PIECE_WORK) {
      blame_work(analysis, location, piece.what, from, to);
    } else if (piece.kind == PIECE_NOTHING || chain == CHAIN_MOST) {
      unblamed[piece.kind == PIECE_NOTHING ? piece.reason : UNBLAMED_NOT_KNOWN] += to - from;
    } else {
      uint64_t woken = earlier(later(piece.woken, from), to);
      blame_thread(analysis, piece.what, from, woken, chain + 1);
      unblamed[UNBLAMED_WAKING] += to - woken;
    }
  }
  unblamed[UNBLAMED_NOT_KNOWN] += end > now ? end - now : 0;
}

static void blame_nobody(struct blame_analysis *analysis, uint32_t location, uint64_t begin, uint64_t end,
                         enum calls_unblamed reason)
{
  if (begin >= end)
    return;
  analysis->blame.unblamed[reason] += end - begin;
  add_piece(analysis, location,
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

static void take_wait(struct blame_analysis *analysis, const struct wakers_woken *woken, uint64_t begin, uint64_t end)
{
  bool known = woken->how == WAKE_BY_THREAD || woken->how == WAKE_INTERRUPTED;
  if (begin >= end)
    return;
  if (!known || woken->from == TRACE_NONE || woken->from == woken->location) {
    blame_nobody(analysis, woken->location, begin, end, reason_of(woken->how));
    return;
  }
  uint64_t over = earlier(later(woken->from_time, begin), end);
  blame_thread(analysis, woken->from, begin, over, 0);
  analysis->blame.unblamed[UNBLAMED_WAKING] += end - over;
  add_piece(analysis, woken->location,
            &(struct history_piece){
                .begin = begin, .end = end, .kind = PIECE_WAIT, .what = woken->from, .woken = woken->from_time});
}

static bool take_woken(void *context, const struct wakers_woken *woken)
{
  struct blame_analysis *analysis = context;
  struct blamed_thread *thread = &analysis->threads[woken->location];
  for (size_t i = 0; i < thread->waits.count; i++) {
    struct blamed_wait wait = thread->waits.items[i];
    uint64_t since = earlier(later(woken->since, wait.begin), wait.end),
             end = earlier(wait.end, later(woken->time, since));
    blame_nobody(analysis, woken->location, wait.begin, since, UNBLAMED_UNKNOWN_WAKER);
    take_wait(analysis, woken, since, end);
    blame_nobody(analysis, woken->location, end, wait.end, UNBLAMED_UNKNOWN_WAKER);
    if (wait.idle && woken->how == WAKE_BY_THREAD && woken->from != TRACE_NONE)
      thread->forker = woken->from;
  }
  thread->waits.count = 0;
  return !analysis->failed;
}

/* Nobody has said why it waited. */
static void give_up(struct blame_analysis *analysis, uint32_t location, enum calls_unblamed reason)
{
  struct blamed_thread *thread = &analysis->threads[location];
  for (size_t i = 0; i < thread->waits.count; i++)
    blame_nobody(analysis, location, thread->waits.items[i].begin, thread->waits.items[i].end, reason);
  thread->waits.count = 0;
}

/* Samples up to the end of an interval; those of work are kept. */
static void take_samples(struct blame_analysis *analysis, struct blamed_thread *thread,
                         const struct state_interval *interval, bool work)
{
  const struct samples_event *sample;
  while (thread->stream && (sample = samples_stream_peek(thread->stream)) != NULL && sample->time < interval->end) {
    if (work && sample->time >= interval->start && sample->trigger == analysis->trigger)
      analysis->failed |= !history_add_sample(&thread->history, sample, blame_needs, analysis);
    samples_stream_take(thread->stream);
  }
}

static void take_work(struct blame_analysis *analysis, uint32_t location, const struct state_interval *interval)
{
  struct history_piece piece = {
      .begin = interval->start, .end = interval->end, .kind = PIECE_WORK, .what = interval->construct};
  if (interval->state == STATE_UNMEASURED || interval->state == STATE_READY || interval->state == STATE_OFF) {
    piece.kind = PIECE_NOTHING;
    piece.what = 0;
    piece.reason = interval->state == STATE_UNMEASURED ? UNBLAMED_UNMEASURED : UNBLAMED_NO_PROCESSOR;
  }
  take_samples(analysis, &analysis->threads[location], interval, piece.kind == PIECE_WORK);
  add_piece(analysis, location, &piece);
}

static bool take_begin(void *context, uint32_t location, uint64_t time)
{
  struct blame_analysis *analysis = context;
  analysis->threads[location].begun = true;
  analysis->threads[location].until = time;
  return true;
}

static bool take_did(void *context, uint32_t location, const struct state_interval *interval)
{
  struct blame_analysis *analysis = context;
  struct blamed_thread *thread = &analysis->threads[location];
  thread->until = interval->end;
  if (!state_is_wait(interval->state)) {
    give_up(analysis, location, UNBLAMED_UNKNOWN_WAKER);
    take_work(analysis, location, interval);
    return !analysis->failed;
  }
  struct blamed_wait wait = {interval->start, interval->end, interval->state == STATE_IDLE};
  take_samples(analysis, thread, interval, false);
  analysis->blame.waiting += interval->end - interval->start;
  analysis->failed |= !vector_push(&thread->waits, wait);
  return !analysis->failed;
}

static bool take_stop(void *context, uint32_t location, uint64_t time)
{
  (void)time;
  struct blame_analysis *analysis = context;
  struct blamed_thread *thread = &analysis->threads[location];
  for (size_t i = 0; i < thread->waits.count; i++) {
    const struct blamed_wait *wait = &thread->waits.items[i];
    struct tail tail = {thread->forker, wait->begin, wait->end};
    if (wait->idle && thread->forker != TRACE_NONE)
      analysis->failed |= !vector_push(&analysis->tails, tail);
    else
      blame_nobody(analysis, location, wait->begin, wait->end, UNBLAMED_NOT_ENDED);
  }
  thread->waits.count = 0;
  thread->stopped = true;
  return !analysis->failed;
}

static bool open_threads(struct blame_analysis *analysis)
{
  const struct trace *trace = analysis->trace;
  size_t most = HISTORY_ALL / ((size_t)trace->location_count + 1);
  analysis->threads = calloc((size_t)trace->location_count + 1, sizeof *analysis->threads);
  for (uint32_t i = 0; analysis->threads && i < trace->location_count; i++) {
    struct blamed_thread *thread = &analysis->threads[i];
    thread->history.most = most < HISTORY_LEAST ? HISTORY_LEAST : most > HISTORY_MOST ? HISTORY_MOST : most;
    thread->forker = TRACE_NONE;
    if (trace_is_thread(trace, i) &&
        !(thread->stream = samples_stream_open(analysis->samples, &trace->locations[i], &analysis->unused)))
      return false;
  }
  return analysis->threads != NULL;
}

static bool blame_begin(void *state, const struct analysis_input *input)
{
  struct blame_analysis *analysis = state;
  const struct blame_options *options = input->options;
  struct error error;
  analysis->trace = input->trace;
  analysis->samples = options->samples;
  analysis->trigger = options->trigger;
  analysis->calls = options->calls;
  analysis->listener = (struct wakers_listener){analysis, take_begin, take_did, take_woken, take_stop};
  analysis->options.listener = &analysis->listener;
  return open_threads(analysis) && running_analysis_begin(&analysis->waits, &waits_analysis, input->trace, input->pool,
                                                          &analysis->options, &error);
}

/* Its lanes are those of the waits. */
static void blame_adapt(const void *state, struct subscriber *lanes)
{
  *lanes = ((const struct blame_analysis *)state)->waits.subscriber;
}

static void blame_free(void *result)
{
  struct calls_blame *blame = result;
  free(blame->cells);
  *blame = (struct calls_blame){0};
}

static void blame_drop(void *state)
{
  struct blame_analysis *analysis = state;
  running_analysis_drop(&analysis->waits, NULL);
  for (uint32_t i = 0; analysis->threads && i < analysis->trace->location_count; i++) {
    history_free(&analysis->threads[i].history);
    vector_free(&analysis->threads[i].waits);
    samples_stream_close(analysis->threads[i].stream);
  }
  free(analysis->threads);
  vector_free(&analysis->tails);
  key_sums_free(&analysis->ticks);
  key_sums_free(&analysis->meanwhile);
  blame_free(&analysis->blame);
}

static bool blame_finish(struct blame_analysis *analysis, struct error *error)
{
  struct waits_found found;
  bool good = running_analysis_end(&analysis->waits, &found, error); /* the last steps come then */
  analysis_free(&waits_analysis, &found);
  for (uint32_t i = 0; good && i < analysis->trace->location_count; i++)
    give_up(analysis, i, UNBLAMED_NOT_ENDED);
  for (size_t i = 0; good && i < analysis->tails.count; i++) {
    const struct tail *tail = &analysis->tails.items[i];
    blame_thread(analysis, tail->forker, tail->begin, tail->end, 0);
  }
  return good;
}

static bool blame_end(void *state, void *result, struct error *error)
{
  struct blame_analysis *analysis = state;
  if (!blame_finish(analysis, error))
    return false;
  bool good = !analysis->failed && blamed_cells(analysis->trace, &analysis->ticks, &analysis->meanwhile,
                                                analysis->calls, analysis->trigger, &analysis->blame);
  *(struct calls_blame *)result = analysis->blame;
  analysis->blame = (struct calls_blame){0};
  return good;
}

const struct analysis blame_analysis = {.name = "blame",
                                        .state_size = sizeof(struct blame_analysis),
                                        .result_size = sizeof(struct calls_blame),
                                        .begin = blame_begin,
                                        .adapt = blame_adapt,
                                        .end = blame_end,
                                        .drop = blame_drop,
                                        .free = blame_free};

bool calls_find_with_blame(const struct trace *trace, const struct samples *samples, uint32_t trigger,
                           struct pool *pool, struct calls *calls, struct calls_blame *blame, struct error *error)
{
  const struct blame_options options = {samples, trigger, calls};
  const struct analysis_task tasks[] = {{&calls_analysis, samples, calls}, {&blame_analysis, &options, blame}};
  return analyses_find(trace, pool, tasks, COUNT_OF(tasks), error);
}

void calls_blame_weigh(const struct trace *trace, const struct calls_blame *blame,
                       const struct calls_selection *selection, const struct calls_tree *tree, wide_total *weights)
{
  for (size_t i = 0; i < blame->cell_count; i++) {
    const struct calls_blame_cell *cell = &blame->cells[i];
    if ((selection->location != CALLS_ANY && selection->location != cell->location) ||
        (selection->construct != CALLS_ANY && selection->construct != cell->construct) ||
        (selection->process != CALLS_ANY && selection->process != trace->locations[cell->location].process))
      continue;
    weights[cell->context == TRACE_NONE ? 0 : tree->node_of[cell->context]] += cell->ticks;
  }
}

static const struct {
  const char *key, *reason;
} blame_sums_reasons[UNBLAMED_REASONS] = {
    [UNBLAMED_UNKNOWN_WAKER] = {"unknown_waker", "it is unknown who ended the wait"},
    [UNBLAMED_AMBIGUOUS] = {"ambiguous", "two threads could have ended the wait"},
    [UNBLAMED_TIMED_OUT] = {"timed_out", "the wait timed out"},
    [UNBLAMED_ITSELF] = {"itself", "the thread was the last one to arrive"},
    [UNBLAMED_NOT_ENDED] = {"not_ended", "the wait had not ended at the end of the recording"},
    [UNBLAMED_WAKING] = {"waking", "the wait was over, but the thread had not gone on yet"},
    [UNBLAMED_NO_PROCESSOR] = {"no_processor", "the other thread had no processor"},
    [UNBLAMED_UNMEASURED] = {"unmeasured", "the other thread was not measured"},
    [UNBLAMED_NOT_KNOWN] = {"not_known", "it is unknown what the other thread did"},
};

const char *calls_unblamed_reason(enum calls_unblamed reason)
{
  return blame_sums_reasons[reason].reason;
}

const char *calls_unblamed_key(enum calls_unblamed reason)
{
  return blame_sums_reasons[reason].key;
}
