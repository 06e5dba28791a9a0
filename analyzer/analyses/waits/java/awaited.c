#include "analyzer/analyses/waits/java/awaited.h"

#include "analyzer/analyses/waits/java/shares.h"
#include "analyzer/analyses/waits/wakers.h"
#include "analyzer/trace/region.h"
#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

#define PIECES_ALL    4000000u /* of all threads */
#define PIECES_LEAST  64u      /* of one */
#define PIECES_MOST   8192u
#define PLACES_MOST   4096u /* more are left out */
#define OWN_AND_OTHER 2     /* the thread that sleeps lacks as much as the one that waits for it */

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

struct awaited_taker {
  const struct trace *trace;
  struct wakers *wakers;
  struct wakers_listener listener;
  struct window_span span;
  struct windows_used used;
  struct thread *threads; /* by location */
  size_t pieces_most;     /* of a thread */
  VECTOR(struct place *) places;
  struct hash numbers; /* of places, by place_key() */
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
static uint32_t place_of(struct awaited_taker *taker, enum awaited_did did, uint32_t region, uint32_t location,
                         bool join)
{
  uint64_t key = place_key(did, region, location, join);
  const uint64_t *found = hash_find(&taker->numbers, key);
  if (found)
    return (uint32_t)*found;
  uint32_t number = (uint32_t)taker->places.count;
  struct place *place = number < PLACES_MOST ? calloc(1, sizeof *place) : NULL;
  if (!place)
    return TRACE_NONE;
  place->place = (struct awaited_place){.did = did, .join = join, .region = region, .location = location};
  place->share.join = join;
  if (!vector_push(&taker->places, place)) {
    free(place);
    return TRACE_NONE;
  }
  return hash_add(&taker->numbers, key, number) ? number : TRACE_NONE;
}

static bool add_piece(struct awaited_taker *taker, uint32_t location, const struct piece *piece)
{
  struct thread *thread = &taker->threads[location];
  struct piece *last = thread->pieces.count > 0 ? &thread->pieces.items[thread->pieces.count - 1] : NULL;
  if (last && last->end == piece->begin && last->did == piece->did && last->region == piece->region) {
    last->end = piece->end;
    return true;
  }
  if (thread->pieces.count >= 2 * taker->pieces_most) { /* the older half is dropped */
    memmove(thread->pieces.items, thread->pieces.items + taker->pieces_most,
            taker->pieces_most * sizeof *thread->pieces.items);
    thread->pieces.count = taker->pieces_most;
  }
  return vector_push(&thread->pieces, *piece);
}

static bool add_awaited(struct awaited_taker *taker, uint32_t number, uint32_t location, uint64_t ticks)
{
  struct place *place = taker->places.items[number];
  uint64_t key = (uint64_t)number << 32 | location;
  const uint64_t *found = hash_find(&taker->awaited, key);
  if (found) {
    place->threads.items[*found].ticks += ticks;
    return true;
  }
  return vector_push(&place->threads, ((struct awaited_thread){location, ticks})) &&
         hash_add(&taker->awaited, key, place->threads.count - 1);
}

/* A piece of what a thread did while another one waited for it. */
static void count_piece(struct awaited_taker *taker, const struct thread *waiter, uint32_t awaited,
                        const struct piece *piece, uint64_t *worked)
{
  bool works = piece->did == AWAITED_WORKED;
  if (waiter->idle && !works)
    return; /* an executor's thread without work: nothing is known to be there for it */
  uint32_t number = place_of(taker, piece->did, works ? waiter->wait_region : piece->region, awaited,
                             is_join(taker->trace, waiter->wait_region));
  uint64_t ticks = piece->end - piece->begin;
  if (number == TRACE_NONE || !add_awaited(taker, number, awaited, ticks))
    return;
  struct place *place = taker->places.items[number];
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
  window_sums_add(&place->share.waits, &taker->span, piece->begin, piece->end, works ? 1 : OWN_AND_OTHER);
}

static void count_wait(struct awaited_taker *taker, const struct thread *waiter, uint32_t awaited, uint64_t begin,
                       uint64_t end)
{
  const struct thread *thread = &taker->threads[awaited];
  uint64_t worked = waiter->worked;
  size_t first = thread->pieces.count;
  while (first > 0 && thread->pieces.items[first - 1].end > begin)
    first--;
  for (size_t i = first; i < thread->pieces.count; i++) {
    struct piece piece = thread->pieces.items[i];
    piece.begin = later(piece.begin, begin);
    piece.end = earlier(piece.end, end);
    if (piece.begin < piece.end)
      count_piece(taker, waiter, awaited, &piece, &worked);
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

static bool take_busy(struct awaited_taker *taker, uint32_t location, const struct state_interval *interval)
{
  struct piece piece = {interval->start, interval->end, AWAITED_WORKED, TRACE_NONE};
  taker->threads[location].waits = false;
  switch (interval->state) {
  case STATE_OFF:
    piece.did = AWAITED_BLOCKED;
    return add_piece(taker, location, &piece);
  case STATE_GC:
    window_sums_add(&taker->used.stopped, &taker->span, interval->start, interval->end, 1);
    return true;
  case STATE_READY:
    window_sums_add(&taker->used.worked, &taker->span, interval->start, interval->end, 1);
    return true;
  case STATE_RUN:
    window_sums_add(&taker->used.worked, &taker->span, interval->start, interval->end, 1);
    taker->threads[location].worked += interval->end - interval->start;
    return add_piece(taker, location, &piece);
  default:
    return true;
  }
}

static bool take_did(void *context, uint32_t location, const struct state_interval *interval)
{
  struct awaited_taker *taker = context;
  struct thread *thread = &taker->threads[location];
  if (taker->trace->locations[location].type == TRACE_THREAD_JVM)
    return true;
  if (interval->state == STATE_BLOCKED_MUTEX)
    window_sums_add(&taker->used.locked, &taker->span, interval->start, interval->end, 1);
  if (interval->state != STATE_BLOCKED_CONDVAR && interval->state != STATE_IDLE)
    return take_busy(taker, location, interval);
  if (!thread->waits)
    thread->wait_begin = interval->start;
  thread->waits = true;
  thread->wait_region = interval->construct;
  thread->idle = interval->state == STATE_IDLE;
  return true;
}

static bool take_woken(void *context, const struct wakers_woken *woken)
{
  struct awaited_taker *taker = context;
  struct thread *thread = &taker->threads[woken->location];
  uint64_t begin = later(woken->since, thread->wait_begin);
  bool waited = thread->waits && begin < woken->time, good = true;
  if (waited && woken->how == WAKE_TIMED_OUT) {
    struct piece piece = {begin, woken->time, AWAITED_SLEPT, thread->wait_region};
    good = add_piece(taker, woken->location, &piece);
  } else if (waited && woken->how == WAKE_BY_THREAD && woken->from != TRACE_NONE && woken->from != woken->location) {
    count_wait(taker, thread, woken->from, begin, earlier(later(woken->from_time, begin), woken->time));
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

struct awaited_taker *awaited_begin(const struct trace *trace, struct error *error)
{
  struct awaited_taker *taker = calloc(1, sizeof *taker);
  size_t most = PIECES_ALL / ((size_t)trace->location_count + 1);
  if (taker)
    taker->threads = calloc((size_t)trace->location_count + 1, sizeof *taker->threads);
  if (!taker || !taker->threads) {
    error_set(error, "%s: out of memory", trace->anchor);
    awaited_drop(taker);
    return NULL;
  }
  taker->trace = trace;
  taker->pieces_most = most < PIECES_LEAST ? PIECES_LEAST : most > PIECES_MOST ? PIECES_MOST : most;
  taker->listener = (struct wakers_listener){taker, take_life, take_did, take_woken, take_life};
  find_span(trace, &taker->span);
  taker->wakers = wakers_begin(trace, error);
  if (!taker->wakers) {
    awaited_drop(taker);
    return NULL;
  }
  wakers_listen(taker->wakers, &taker->listener);
  return taker;
}

const struct subscriber *awaited_subscriber(const struct awaited_taker *taker)
{
  return wakers_subscriber(taker->wakers);
}

void awaited_drop(struct awaited_taker *taker)
{
  if (!taker)
    return;
  wakers_drop(taker->wakers);
  for (uint32_t i = 0; taker->threads && i < taker->trace->location_count; i++)
    vector_free(&taker->threads[i].pieces);
  free(taker->threads);
  for (size_t i = 0; i < taker->places.count; i++) {
    vector_free(&taker->places.items[i]->threads);
    free(taker->places.items[i]);
  }
  vector_free(&taker->places);
  hash_free(&taker->numbers);
  hash_free(&taker->awaited);
  free(taker);
}

/* Of the process that may use most. */
static uint64_t processors_of(const struct trace *trace)
{
  uint64_t most = 0;
  for (uint32_t i = 0; i < trace->process_count; i++)
    most = later(most, trace_processors(trace, i));
  return most;
}

static bool finish(struct awaited_taker *taker, struct awaited *awaited)
{
  size_t count = taker->places.count;
  struct wait_share **shares = calloc(count + 1, sizeof *shares);
  awaited->places = calloc(count + 1, sizeof *awaited->places);
  bool good = shares && awaited->places;
  for (size_t i = 0; good && i < count; i++)
    shares[i] = &taker->places.items[i]->share;
  if (good)
    shares_find(&taker->span, &taker->used, processors_of(taker->trace), shares, count);
  for (size_t i = 0; good && i < count; i++) {
    struct place *from = taker->places.items[i];
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

bool awaited_end(struct awaited_taker *taker, struct awaited *awaited, struct error *error)
{
  struct waits waits;
  struct critical_paths paths;
  *awaited = (struct awaited){.count = 0};
  bool good = wakers_end(taker->wakers, &waits, &paths, error); /* the last steps come then */
  taker->wakers = NULL;
  waits_free(&waits);
  critical_paths_free(&paths);
  good = good && (finish(taker, awaited) || error_set(error, "%s: out of memory", taker->trace->anchor));
  awaited_drop(taker);
  return good;
}

void awaited_free(struct awaited *awaited)
{
  for (size_t i = 0; i < awaited->count; i++)
    free(awaited->places[i].threads);
  free(awaited->places);
  *awaited = (struct awaited){.count = 0};
}
