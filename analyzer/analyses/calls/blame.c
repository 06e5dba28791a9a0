#include "analyzer/analyses/calls/blame.h"

#include "analyzer/analyses/waits/waits.h"
#include "base/count_of.h"

#include <stdlib.h>

/* Contexts with their numbers of samples: a stretch of sorted sums whose keys end with the context. */
struct stretch {
  const struct key_sum *first;
  size_t count;
  unsigned context_at; /* in the keys */
};

static int compare_to(const struct key_sum *sum, const uint32_t *key, unsigned numbers)
{
  for (unsigned i = 0; i < numbers; i++)
    if (sum->key[i] != key[i])
      return sum->key[i] < key[i] ? -1 : 1;
  return 0;
}

/* The sums whose keys begin with these two numbers. */
static struct stretch blamed_find(const struct key_sums *sums, uint32_t first, uint32_t second)
{
  const uint32_t key[] = {first, second};
  size_t begin = 0, end = sums->items.count;
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (compare_to(&sums->items.items[middle], key, 2) < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  for (end = begin; end < sums->items.count && compare_to(&sums->items.items[end], key, 2) == 0;)
    end++;
  return (struct stretch){end > begin ? &sums->items.items[begin] : NULL, end - begin, 2};
}

static bool works(uint32_t state)
{
  return state < STATES && state != STATE_READY && state != STATE_OFF && state != STATE_UNMEASURED &&
         !state_is_wait((enum state)state);
}

/* All samples of work: by location, construct and context; by process, construct and context. */
static bool blamed_add_up(const struct trace *trace, const struct calls *calls, uint32_t trigger,
                          struct key_sums *of_threads, struct key_sums *of_processes)
{
  bool good = true;
  for (size_t i = 0; good && i < calls->cell_count; i++) {
    const struct calls_cell *cell = &calls->cells[i];
    uint32_t process = trace->locations[cell->location].process;
    if (cell->trigger != trigger || !works(cell->state))
      continue;
    struct key_sum sum = {{cell->location, cell->construct, cell->context}, {cell->samples}};
    good = key_sums_add(of_threads, &sum);
    sum.key[0] = process;
    good = good && key_sums_add(of_processes, &sum);
  }
  key_sums_sort(of_threads);
  key_sums_sort(of_processes);
  return good;
}

struct remainder {
  wide_total rest;
  size_t at;
};

static int compare_remainders(const void *of_a, const void *of_b)
{
  const struct remainder *a = of_a, *b = of_b;
  if (a->rest != b->rest)
    return a->rest < b->rest ? 1 : -1;
  return (a->at > b->at) - (a->at < b->at);
}

/* Whole ticks in proportion to the samples: the remaining ticks go to the largest remainders, so that the sum is exact.
 */
static bool give(struct calls_blame *blame, const struct key_sum *ticks, struct stretch samples)
{
  wide_total all = 0, given = 0;
  struct remainder *remainders = calloc(samples.count + 1, sizeof *remainders);
  size_t first = blame->cell_count;
  bool good = remainders != NULL;
  for (size_t i = 0; i < samples.count; i++)
    all += samples.first[i].values[0];
  for (size_t i = 0; good && i < samples.count; i++) {
    wide_total product = ticks->values[0] * samples.first[i].values[0];
    remainders[i] = (struct remainder){product % all, first + i};
    good = array_make_room(blame->cells, blame->cell_count);
    if (good)
      blame->cells[blame->cell_count++] = (struct calls_blame_cell){samples.first[i].key[samples.context_at],
                                                                    ticks->key[0], ticks->key[1], product / all};
    given += product / all;
  }
  if (good && samples.count > 0)
    qsort(remainders, samples.count, sizeof *remainders, compare_remainders);
  for (size_t i = 0; good && given < ticks->values[0] && i < samples.count; i++, given++)
    blame->cells[remainders[i].at].ticks++;
  free(remainders);
  return good;
}

static bool give_to_nobody(struct calls_blame *blame, const struct key_sum *ticks)
{
  if (!array_make_room(blame->cells, blame->cell_count))
    return false;
  blame->cells[blame->cell_count++] =
      (struct calls_blame_cell){TRACE_NONE, ticks->key[0], ticks->key[1], ticks->values[0]};
  return true;
}

bool blamed_cells(const struct trace *trace, struct key_sums *ticks, struct key_sums *samples,
                  const struct calls *calls, uint32_t trigger, struct calls_blame *blame)
{
  struct key_sums of_threads = {0}, of_processes = {0};
  bool good = blamed_add_up(trace, calls, trigger, &of_threads, &of_processes);
  key_sums_sort(ticks);
  key_sums_sort(samples);
  for (size_t i = 0; good && i < ticks->items.count; i++) {
    const struct key_sum *of = &ticks->items.items[i];
    struct stretch stretch = blamed_find(samples, of->key[0], of->key[1]);
    if (stretch.count == 0)
      stretch = blamed_find(&of_threads, of->key[0], of->key[1]);
    if (stretch.count == 0)
      stretch = blamed_find(&of_processes, trace->locations[of->key[0]].process, of->key[1]);
    good = stretch.count > 0 ? give(blame, of, stretch) : give_to_nobody(blame, of);
  }
  key_sums_free(&of_threads);
  key_sums_free(&of_processes);
  return good;
}

size_t history_find(const struct history *history, uint64_t time)
{
  size_t first = 0, end = history->pieces.count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (history->pieces.items[middle].end > time)
      end = middle;
    else
      first = middle + 1;
  }
  return first;
}

size_t history_find_sample(const struct history *history, uint64_t time)
{
  size_t first = 0, end = history->samples.count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (history->samples.items[middle].time >= time)
      end = middle;
    else
      first = middle + 1;
  }
  return first;
}

/* Pieces that follow each other without a gap become one. */
static void halve_pieces(struct history *history)
{
  size_t kept = 0;
  for (size_t i = 0; i < history->pieces.count; i += 2) {
    struct history_piece piece = history->pieces.items[i];
    struct history_piece *next = i + 1 < history->pieces.count ? &history->pieces.items[i + 1] : NULL;
    if (next && next->begin == piece.end) {
      uint64_t begin = piece.begin, end = next->end;
      if (next->end - next->begin > piece.end - piece.begin)
        piece = *next;
      piece.begin = begin;
      piece.end = end;
      next = NULL;
    }
    history->pieces.items[kept++] = piece;
    if (next)
      history->pieces.items[kept++] = *next;
  }
  history->pieces.count = kept;
}

static void halve_samples(struct history *history)
{
  size_t kept = 0;
  for (size_t i = 0; i < history->samples.count; i += 2) {
    struct history_sample sample = history->samples.items[i];
    if (i + 1 < history->samples.count)
      sample.weight += history->samples.items[i + 1].weight;
    history->samples.items[kept++] = sample;
  }
  history->samples.count = kept;
}

/* Makes room: forgets what is before `needed`, which is at least half of it, or merges neighbors. */
static void make_room(struct history *history, uint64_t needed)
{
  size_t old = history_find(history, needed), old_samples = history_find_sample(history, needed);
  history->pieces.count -= old;
  memmove(history->pieces.items, history->pieces.items + old, history->pieces.count * sizeof *history->pieces.items);
  history->samples.count -= old_samples;
  if (history->samples.count > 0)
    memmove(history->samples.items, history->samples.items + old_samples,
            history->samples.count * sizeof *history->samples.items);
  if (history->pieces.count > history->most / 2)
    halve_pieces(history);
  if (history->samples.count > history->most / 2)
    halve_samples(history);
}

static bool are_one(const struct history_piece *a, const struct history_piece *b)
{
  return a->end == b->begin && a->kind == b->kind && a->kind != PIECE_WAIT && a->reason == b->reason &&
         a->what == b->what;
}

bool history_add(struct history *history, const struct history_piece *piece, history_needed *needed, void *context)
{
  struct history_piece *last = history->pieces.count > 0 ? &history->pieces.items[history->pieces.count - 1] : NULL;
  if (last && are_one(last, piece)) {
    last->end = piece->end;
    return true;
  }
  if (history->pieces.count >= history->most)
    make_room(history, needed(context));
  return vector_push(&history->pieces, *piece);
}

bool history_add_sample(struct history *history, const struct samples_event *sample, history_needed *needed,
                        void *context)
{
  struct history_sample more = {.time = sample->time, .context = sample->context, .weight = sample->weight};
  if (history->samples.count >= history->most)
    make_room(history, needed(context));
  return vector_push(&history->samples, more);
}

void history_free(struct history *history)
{
  vector_free(&history->pieces);
  vector_free(&history->samples);
}

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
  struct waits_listener listener;
  struct waits_options options;
  struct blamed_thread *threads; /* by location */
  VECTOR(struct tail) tails;
  struct key_sums ticks, meanwhile; /* as for blamed_cells() */
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

static void take_wait(struct blame_analysis *analysis, const struct waits_woken *woken, uint64_t begin, uint64_t end)
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

static bool take_woken(void *context, const struct waits_woken *woken)
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

/* Samples up to the end of an interval; samples of work are kept. */
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
    piece.reason = interval->state == STATE_UNMEASURED ? UNBLAMED_NOT_MEASURED : UNBLAMED_NO_PROCESSOR;
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
  analysis->listener = (struct waits_listener){analysis, take_begin, take_did, take_woken, take_stop};
  analysis->options.listener = &analysis->listener;
  return open_threads(analysis) && running_analysis_begin(&analysis->waits, &waits_analysis, input->trace, input->pool,
                                                          &analysis->options, &error);
}

/* Its lanes are the lanes of the waits. */
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
    [UNBLAMED_WAKING] = {"waking", "the wait had ended, but the thread had not gone on yet"},
    [UNBLAMED_NO_PROCESSOR] = {"no_processor", "the other thread had no processor"},
    [UNBLAMED_NOT_MEASURED] = {"not_measured", "the other thread was not measured"},
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
