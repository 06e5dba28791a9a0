#include "analyzer/analyses/waits/java/awaited.h"

#include "analyzer/analyses/waits/waits.h"
#include "analyzer/trace/definitions.h"
#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t border(const struct window_span *span, unsigned window)
{
  return span->begin + span->length / AWAITED_WINDOWS * window +
         span->length % AWAITED_WINDOWS * window / AWAITED_WINDOWS;
}

/* The window that has a time of the span. */
static unsigned window_of(const struct window_span *span, uint64_t time)
{
  unsigned window = (unsigned)((double)(time - span->begin) / (double)span->length * AWAITED_WINDOWS);
  while (window >= AWAITED_WINDOWS || (window > 0 && border(span, window) > time))
    window--;
  while (window + 1 < AWAITED_WINDOWS && border(span, window + 1) <= time)
    window++;
  return window;
}

void window_sums_add(struct window_sums *sums, const struct window_span *span, uint64_t begin, uint64_t end,
                     double times)
{
  uint64_t last = span->begin + span->length;
  begin = begin < span->begin ? span->begin : begin;
  end = end > last ? last : end;
  if (begin >= end)
    return;
  for (unsigned i = window_of(span, begin); i < AWAITED_WINDOWS && begin < end; i++) {
    uint64_t to = i + 1 < AWAITED_WINDOWS ? border(span, i + 1) : last;
    to = to < end ? to : end;
    sums->ticks[i] += times * (double)(to - begin);
    begin = to;
  }
}

static double least(double a, double b)
{
  return a < b ? a : b;
}

/* How many threads the program can have at work at once: it has shown so. */
static double threads_at_once(const struct windows_used *used, double width, uint64_t processors, bool waits)
{
  double most = 1;
  for (unsigned i = 0; i < AWAITED_WINDOWS; i++)
    most = used->worked.ticks[i] / width > most ? used->worked.ticks[i] / width : most;
  most = round(most);
  if (waits && most < 2)
    most = 2;
  return processors > 0 && most > (double)processors ? (double)processors : most;
}

/* Each gets its part of what is missing in the window, at most what was waited. Returns what is left. */
static double share_out(struct wait_share *const *shares, size_t count, unsigned window, double missing)
{
  double waits = 0;
  for (size_t i = 0; i < count; i++)
    waits += shares[i]->join ? 0 : shares[i]->waits.ticks[window];
  double given = least(waits, missing);
  for (size_t i = 0; i < count && waits > 0; i++)
    shares[i]->won += shares[i]->join ? 0 : given / waits * shares[i]->waits.ticks[window];
  return missing - given;
}

/* A thread that waits for the end of others does so for all that have ended before. */
static void share_rest(struct wait_share *const *shares, size_t count, unsigned window, double missing, double width)
{
  double waits = 0;
  for (size_t i = 0; i < count; i++)
    waits += shares[i]->join ? shares[i]->waits.ticks[window] : 0;
  double given = missing * least(waits / width, 1);
  for (size_t i = 0; i < count && waits > 0; i++)
    shares[i]->won += shares[i]->join ? given / waits * shares[i]->waits.ticks[window] : 0;
}

void shares_find(const struct window_span *span, const struct windows_used *used, uint64_t processors,
                 struct wait_share *const *shares, size_t count)
{
  double width = (double)span->length / AWAITED_WINDOWS;
  bool waits = false;
  for (size_t i = 0; i < count; i++)
    waits |= !shares[i]->join;
  if (width <= 0)
    return;
  double threads = threads_at_once(used, width, processors, waits);
  for (unsigned i = 0; i < AWAITED_WINDOWS; i++) {
    double missing = threads * width - used->worked.ticks[i] - used->locked.ticks[i] -
                     least(used->stopped.ticks[i], threads * width);
    if (missing > 0)
      share_rest(shares, count, i, share_out(shares, count, i, missing), width);
  }
  for (size_t i = 0; i < count; i++)
    shares[i]->won /= threads;
}

#define PIECES_ALL    4000000u /* of all threads */
#define PIECES_LEAST  64u      /* of one */
#define PIECES_MOST   8192u
#define PLACES_MOST   4096u /* beyond this number, more are not listed */
#define OWN_AND_OTHER 2     /* the sleeping thread lacks as much as the thread that waits for it */

/* What a thread did. What is in none is a wait. */
struct piece {
  uint64_t begin, end;
  enum awaited_did did;
  uint32_t region; /* SLEPT */
};

struct thread {
  VECTOR(struct piece) pieces; /* in order of time, the latest */
  uint64_t worked;             /* since its last wait */
  bool waits, idle;
  uint64_t wait_begin;
  uint32_t wait_region;
};

struct place {
  struct awaited_place place;
  VECTOR(struct awaited_thread) threads;
  struct wait_share share;
  uint64_t longest; /* at a time */
};

struct awaited_analysis {
  const struct trace *trace;
  struct running_analysis waits;
  struct waits_listener listener;
  struct waits_options options;
  struct window_span span;
  struct windows_used used;
  struct thread *threads; /* by location */
  size_t pieces_most;     /* of a thread */
  VECTOR(struct place *) places;
  struct hash numbers; /* numbers of places, by place_key() */
  struct hash awaited; /* where a place has a thread, by numbers of both */
};

static uint64_t earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static bool is_join(const struct trace *trace, uint32_t region)
{
  return region != TRACE_NONE && trace_region_begins(&trace->regions[region], REGION_JOIN);
}

static uint64_t place_key(enum awaited_did did, uint32_t region, uint32_t location, bool join)
{
  uint64_t kind = (uint64_t)did << 1 | join;
  return kind << 32 | (did == AWAITED_BLOCKED ? location : region);
}

/* Its number in `places`. TRACE_NONE: no memory, or there are too many. */
static uint32_t place_of(struct awaited_analysis *analysis, enum awaited_did did, uint32_t region, uint32_t location,
                         bool join)
{
  uint64_t key = place_key(did, region, location, join);
  const uint64_t *found = hash_find(&analysis->numbers, key);
  if (found)
    return (uint32_t)*found;
  uint32_t number = (uint32_t)analysis->places.count;
  struct place *place = number < PLACES_MOST ? calloc(1, sizeof *place) : NULL;
  if (!place)
    return TRACE_NONE;
  place->place = (struct awaited_place){.did = did, .join = join, .region = region, .location = location};
  place->share.join = join;
  if (!vector_push(&analysis->places, place)) {
    free(place);
    return TRACE_NONE;
  }
  return hash_add(&analysis->numbers, key, number) ? number : TRACE_NONE;
}

static bool add_piece(struct awaited_analysis *analysis, uint32_t location, const struct piece *piece)
{
  struct thread *thread = &analysis->threads[location];
  struct piece *last = thread->pieces.count > 0 ? &thread->pieces.items[thread->pieces.count - 1] : NULL;
  if (last && last->end == piece->begin && last->did == piece->did && last->region == piece->region) {
    last->end = piece->end;
    return true;
  }
  if (thread->pieces.count >= 2 * analysis->pieces_most) { /* the older half is dropped */
    memmove(thread->pieces.items, thread->pieces.items + analysis->pieces_most,
            analysis->pieces_most * sizeof *thread->pieces.items);
    thread->pieces.count = analysis->pieces_most;
  }
  return vector_push(&thread->pieces, *piece);
}

static bool add_awaited(struct awaited_analysis *analysis, uint32_t number, uint32_t location, uint64_t ticks)
{
  struct place *place = analysis->places.items[number];
  uint64_t key = (uint64_t)number << 32 | location;
  const uint64_t *found = hash_find(&analysis->awaited, key);
  if (found) {
    place->threads.items[*found].ticks += ticks;
    return true;
  }
  return vector_push(&place->threads, ((struct awaited_thread){location, ticks})) &&
         hash_add(&analysis->awaited, key, place->threads.count - 1);
}

/* A piece of what a thread did while another one waited for it. */
static void count_piece(struct awaited_analysis *analysis, const struct thread *waiter, uint32_t awaited,
                        const struct piece *piece, uint64_t *worked)
{
  bool works = piece->did == AWAITED_WORKED;
  if (waiter->idle && !works)
    return; /* an executor's thread without work: nothing is known to be there for it */
  uint32_t number = place_of(analysis, piece->did, works ? waiter->wait_region : piece->region, awaited,
                             is_join(analysis->trace, waiter->wait_region));
  uint64_t ticks = piece->end - piece->begin;
  if (number == TRACE_NONE || !add_awaited(analysis, number, awaited, ticks))
    return;
  struct place *place = analysis->places.items[number];
  place->place.waited += ticks;
  place->place.idle = waiter->idle;
  if (works) {
    place->place.worked += *worked;
    *worked = 0;
  }
  if (ticks > place->longest) {
    place->longest = ticks;
    place->place.location = awaited;
  }
  window_sums_add(&place->share.waits, &analysis->span, piece->begin, piece->end, works ? 1 : OWN_AND_OTHER);
}

static void count_wait(struct awaited_analysis *analysis, const struct thread *waiter, uint32_t awaited, uint64_t begin,
                       uint64_t end)
{
  const struct thread *thread = &analysis->threads[awaited];
  uint64_t worked = waiter->worked;
  size_t first = thread->pieces.count;
  while (first > 0 && thread->pieces.items[first - 1].end > begin)
    first--;
  for (size_t i = first; i < thread->pieces.count; i++) {
    struct piece piece = thread->pieces.items[i];
    piece.begin = later(piece.begin, begin);
    piece.end = earlier(piece.end, end);
    if (piece.begin < piece.end)
      count_piece(analysis, waiter, awaited, &piece, &worked);
  }
}

/* That a thread begins or stops means nothing here. */
static bool take_life(void *context, uint32_t location, uint64_t time)
{
  (void)context;
  (void)location;
  (void)time;
  return true;
}

static bool take_busy(struct awaited_analysis *analysis, uint32_t location, const struct state_interval *interval)
{
  struct piece piece = {interval->start, interval->end, AWAITED_WORKED, TRACE_NONE};
  analysis->threads[location].waits = false;
  switch (interval->state) {
  case STATE_OFF:
    piece.did = AWAITED_BLOCKED;
    return add_piece(analysis, location, &piece);
  case STATE_GC:
    window_sums_add(&analysis->used.stopped, &analysis->span, interval->start, interval->end, 1);
    return true;
  case STATE_READY:
    window_sums_add(&analysis->used.worked, &analysis->span, interval->start, interval->end, 1);
    return true;
  case STATE_RUN:
    window_sums_add(&analysis->used.worked, &analysis->span, interval->start, interval->end, 1);
    analysis->threads[location].worked += interval->end - interval->start;
    return add_piece(analysis, location, &piece);
  default:
    return true;
  }
}

static bool take_did(void *context, uint32_t location, const struct state_interval *interval)
{
  struct awaited_analysis *analysis = context;
  struct thread *thread = &analysis->threads[location];
  if (analysis->trace->locations[location].type == TRACE_THREAD_JVM)
    return true;
  if (interval->state == STATE_BLOCKED_MUTEX)
    window_sums_add(&analysis->used.locked, &analysis->span, interval->start, interval->end, 1);
  if (interval->state != STATE_BLOCKED_CONDVAR && interval->state != STATE_IDLE)
    return take_busy(analysis, location, interval);
  if (!thread->waits)
    thread->wait_begin = interval->start;
  thread->waits = true;
  thread->wait_region = interval->construct;
  thread->idle = interval->state == STATE_IDLE;
  return true;
}

static bool take_woken(void *context, const struct waits_woken *woken)
{
  struct awaited_analysis *analysis = context;
  struct thread *thread = &analysis->threads[woken->location];
  uint64_t begin = later(woken->since, thread->wait_begin);
  bool waited = thread->waits && begin < woken->time, good = true;
  if (waited && woken->how == WAKE_TIMED_OUT) {
    struct piece piece = {begin, woken->time, AWAITED_SLEPT, thread->wait_region};
    good = add_piece(analysis, woken->location, &piece);
  } else if (waited && woken->how == WAKE_BY_THREAD && woken->from != TRACE_NONE && woken->from != woken->location) {
    count_wait(analysis, thread, woken->from, begin, earlier(later(woken->from_time, begin), woken->time));
  }
  if (waited)
    thread->worked = 0;
  thread->waits = false;
  return good;
}

static void find_span(const struct trace *trace, struct window_span *span)
{
  uint64_t end = trace->length < UINT64_MAX - trace->first_tick ? trace->first_tick + trace->length : UINT64_MAX;
  span->begin = trace_time_from(trace, trace->first_tick);
  end = trace_time_to(trace, end);
  span->length = end > span->begin ? end - span->begin : 0;
}

bool awaited_exist(const struct trace *trace)
{
  return trace_is_of_java(trace) && trace->team_count == 0 && trace->length > 0;
}

static bool awaited_begin(void *state, const struct analysis_input *input)
{
  struct awaited_analysis *analysis = state;
  const struct trace *trace = input->trace;
  size_t most = PIECES_ALL / ((size_t)trace->location_count + 1);
  struct error error;
  analysis->trace = trace;
  analysis->threads = calloc((size_t)trace->location_count + 1, sizeof *analysis->threads);
  analysis->pieces_most = most < PIECES_LEAST ? PIECES_LEAST : most > PIECES_MOST ? PIECES_MOST : most;
  analysis->listener = (struct waits_listener){analysis, take_life, take_did, take_woken, take_life};
  analysis->options.listener = &analysis->listener;
  find_span(trace, &analysis->span);
  return analysis->threads &&
         running_analysis_begin(&analysis->waits, &waits_analysis, trace, input->pool, &analysis->options, &error);
}

/* Its lanes are the lanes of the waits. */
static void awaited_adapt(const void *state, struct subscriber *lanes)
{
  *lanes = ((const struct awaited_analysis *)state)->waits.subscriber;
}

static void awaited_drop(void *state)
{
  struct awaited_analysis *analysis = state;
  running_analysis_drop(&analysis->waits, NULL);
  for (uint32_t i = 0; analysis->threads && i < analysis->trace->location_count; i++)
    vector_free(&analysis->threads[i].pieces);
  free(analysis->threads);
  for (size_t i = 0; i < analysis->places.count; i++) {
    vector_free(&analysis->places.items[i]->threads);
    free(analysis->places.items[i]);
  }
  vector_free(&analysis->places);
  hash_free(&analysis->numbers);
  hash_free(&analysis->awaited);
}

/* Figures of the process that may use most. */
static uint64_t processors_of(const struct trace *trace)
{
  uint64_t most = 0;
  for (uint32_t i = 0; i < trace->process_count; i++)
    most = later(most, trace_processors(trace, i));
  return most;
}

static bool finish(struct awaited_analysis *analysis, struct awaited *awaited)
{
  size_t count = analysis->places.count;
  struct wait_share **shares = calloc(count + 1, sizeof *shares);
  awaited->places = calloc(count + 1, sizeof *awaited->places);
  bool good = shares && awaited->places;
  for (size_t i = 0; good && i < count; i++)
    shares[i] = &analysis->places.items[i]->share;
  if (good)
    shares_find(&analysis->span, &analysis->used, processors_of(analysis->trace), shares, count);
  for (size_t i = 0; good && i < count; i++) {
    struct place *from = analysis->places.items[i];
    struct awaited_place *to = &awaited->places[awaited->count++];
    *to = from->place;
    to->won = shares[i]->won;
    to->threads = from->threads.items;
    to->thread_count = from->threads.count;
    from->threads.items = NULL;
  }
  free(shares);
  return good;
}

static bool awaited_end(void *state, void *result, struct error *error)
{
  struct awaited_analysis *analysis = state;
  struct waits_found found;
  bool good = running_analysis_end(&analysis->waits, &found, error); /* the last steps come then */
  analysis_free(&waits_analysis, &found);
  return good && finish(analysis, result);
}

static void awaited_free(void *result)
{
  struct awaited *awaited = result;
  for (size_t i = 0; i < awaited->count; i++)
    free(awaited->places[i].threads);
  free(awaited->places);
  *awaited = (struct awaited){.count = 0};
}

const struct analysis awaited_analysis = {.name = "awaited",
                                          .state_size = sizeof(struct awaited_analysis),
                                          .result_size = sizeof(struct awaited),
                                          .exists = awaited_exist,
                                          .begin = awaited_begin,
                                          .adapt = awaited_adapt,
                                          .end = awaited_end,
                                          .drop = awaited_drop,
                                          .free = awaited_free};
