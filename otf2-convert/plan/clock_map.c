#include "otf2-convert/plan/clock_map.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#define NEAREST_NS  10000000u /* anchors that are nearer to each other say little of the rate */
#define SPAN_ENOUGH 1000000u  /* ns; two anchors nearer than this calibrate badly */
#define RATE_LEAST  1e-4      /* ticks a ns */
#define RATE_MOST   1e3
/* A piece that is off by more has a jump: CLOCK_MONOTONIC is slewed by up to half of this share. */
#define JUMP_NS     2000000.0
#define JUMP_SHARE  1e-3
#define JUMP_PIECES 4 /* a jump ahead that is longer is no change of the rate */
#define TIME_MOST   INT64_MAX
#define SLACK_NS    100000u /* by which the records of a thread may be out of order */

_Thread_local struct clock_piece clock_piece_used;

bool clock_map_add(struct clock_map *map, struct anchor anchor)
{
  return anchor.monotonic_ns > TIME_MOST || vector_push(&map->anchors, anchor);
}

void clock_map_free(struct clock_map *map)
{
  vector_free(&map->anchors);
  vector_free(&map->stretches);
  *map = (struct clock_map){.rate = 0};
}

static int by_time(const void *a, const void *b)
{
  const struct anchor *x = a, *y = b;
  return (x->monotonic_ns > y->monotonic_ns) - (x->monotonic_ns < y->monotonic_ns);
}

/* Removes anchors that are too near to the anchor before; the last one stays. */
static void thin_out(struct clock_map *map)
{
  struct anchor *anchors = map->anchors.items;
  size_t n = map->anchors.count, kept = n > 0;
  for (size_t i = 1; i < n; i++)
    if (anchors[i].monotonic_ns - anchors[kept - 1].monotonic_ns >= NEAREST_NS)
      anchors[kept++] = anchors[i];
  if (n > 1 && anchors[kept - 1].monotonic_ns != anchors[n - 1].monotonic_ns) {
    kept += kept == 1;
    anchors[kept - 1] = anchors[n - 1];
  }
  map->anchors.count = kept;
}

static double ns_between(const struct anchor *a, const struct anchor *b)
{
  return (double)(b->monotonic_ns - a->monotonic_ns);
}

static double ticks_between(const struct anchor *a, const struct anchor *b)
{
  return (double)(int64_t)(b->ticks - a->ticks);
}

struct pace {
  double rate, ns;
};

static int by_rate(const void *a, const void *b)
{
  const struct pace *x = a, *y = b;
  return (x->rate > y->rate) - (x->rate < y->rate);
}

/* The rate at which half of the time went slower, half of it faster. False: memory is short. */
static bool find_rate(struct clock_map *map)
{
  const struct anchor *anchors = map->anchors.items;
  size_t pieces = map->anchors.count - 1;
  struct pace *paces = malloc(pieces * sizeof *paces);
  double sum = 0, all = ns_between(&anchors[0], &anchors[pieces]);
  if (paces == NULL)
    return false;
  for (size_t i = 0; i < pieces; i++) {
    double ns = ns_between(&anchors[i], &anchors[i + 1]);
    paces[i] = (struct pace){ticks_between(&anchors[i], &anchors[i + 1]) / ns, ns};
  }
  qsort(paces, pieces, sizeof *paces, by_rate);
  for (size_t i = 0; i < pieces && sum < all / 2; i++) {
    sum += paces[i].ns;
    map->rate = paces[i].rate;
  }
  free(paces);
  if (!(map->rate >= RATE_LEAST && map->rate <= RATE_MOST))
    map->rate = 0;
  return true;
}

/* ns by which the counter got ahead in a piece; 0: it has no jump. */
static double ahead_in(const struct clock_map *map, const struct anchor *a, const struct anchor *b)
{
  double ns = ns_between(a, b), ahead = ticks_between(a, b) / map->rate - ns;
  return fabs(ahead) > JUMP_NS + JUMP_SHARE * ns ? ahead : 0;
}

/* An anchor whose piece jumps, and jumps back behind it, is a bad reading: the thread lost its processor within. */
static void drop_bad_readings(struct clock_map *map)
{
  struct anchor *anchors = map->anchors.items;
  size_t kept = 1;
  for (size_t i = 1; i < map->anchors.count; i++) {
    bool last = i + 1 == map->anchors.count;
    if (last || ahead_in(map, &anchors[kept - 1], &anchors[i]) == 0 ||
        ahead_in(map, &anchors[kept - 1], &anchors[i + 1]) != 0)
      anchors[kept++] = anchors[i];
  }
  map->anchors.count = kept;
}

static void note_jump(struct clock_map *map, const struct anchor *a, const struct anchor *b, double ahead)
{
  bool has_last = map->jump_count > 0 && map->jump_count <= CLOCK_MAP_JUMPS;
  struct clock_jump *last = has_last ? &map->jumps[map->jump_count - 1] : NULL;
  double bounded = fmax(fmin(ahead, 0x1p62), -0x1p62);
  if (has_last && last->to == a->monotonic_ns &&
      fabs((double)last->ahead + bounded) < 0x1p62) { /* it goes on, as where the rate changed */
    last->to = b->monotonic_ns;
    last->ahead += (int64_t)bounded;
    return;
  }
  if (map->jump_count < CLOCK_MAP_JUMPS)
    map->jumps[map->jump_count] =
        (struct clock_jump){.from = a->monotonic_ns, .to = b->monotonic_ns, .ahead = (int64_t)bounded};
  map->jump_count++;
}

/* Finds jumps, stretches, and how far anchors are apart. False: memory is short. */
static bool look_at_pieces(struct clock_map *map)
{
  const struct anchor *anchors = map->anchors.items;
  bool good = vector_push(&map->stretches, (size_t)0);
  double width = 0;
  for (size_t i = 0; i < map->anchors.count && good; i++) {
    width = fmax(width, (double)anchors[i].width / map->rate);
    if (i == 0)
      continue;
    uint64_t apart = anchors[i].monotonic_ns - anchors[i - 1].monotonic_ns;
    double ahead = ahead_in(map, &anchors[i - 1], &anchors[i]);
    map->apart = apart > map->apart ? apart : map->apart;
    if (ahead != 0)
      note_jump(map, &anchors[i - 1], &anchors[i], ahead);
    /* If a jump ahead is much longer than its piece, the ticks show on which side of it they were. */
    if (anchors[i].ticks < anchors[i - 1].ticks || ahead > JUMP_PIECES * (double)apart)
      good = vector_push(&map->stretches, i);
  }
  map->width = width < 1e18 ? (uint64_t)width : 0;
  return good;
}

bool clock_map_finish(struct clock_map *map)
{
  static atomic_uint_fast64_t maps;
  map->number = atomic_fetch_add(&maps, 1) + 1;
  if (map->anchors.count > 1)
    qsort(map->anchors.items, map->anchors.count, sizeof *map->anchors.items, by_time);
  thin_out(map);
  if (map->anchors.count < 2)
    return true;
  map->span = map->anchors.items[map->anchors.count - 1].monotonic_ns - map->anchors.items[0].monotonic_ns;
  if (map->span < SPAN_ENOUGH)
    return true;
  if (!find_rate(map))
    return false;
  if (map->rate == 0)
    return true;
  drop_bad_readings(map);
  return look_at_pieces(map);
}

/* The stretch's first anchor, and the one behind its last. */
struct stretch {
  size_t begin, end;
};

static struct stretch stretch_of(const struct clock_map *map, size_t number)
{
  bool last = number + 1 == map->stretches.count;
  return (struct stretch){map->stretches.items[number], last ? map->anchors.count : map->stretches.items[number + 1]};
}

/* Outside of the anchors time goes on as in the piece beside it; NULL: there is none in the stretch. */
static uint64_t extend(const struct clock_map *map, const struct anchor *from, uint64_t ticks,
                       const struct anchor *piece)
{
  double rate = piece != NULL ? ticks_between(&piece[0], &piece[1]) / ns_between(&piece[0], &piece[1]) : 0;
  if (!(rate >= RATE_LEAST && rate <= RATE_MOST))
    rate = map->rate;
  double ns = (double)(int64_t)(ticks - from->ticks) / rate, time = (double)from->monotonic_ns + ns;
  if (time <= 0)
    return 0;
  if (time >= (double)TIME_MOST)
    return TIME_MOST;
  return from->monotonic_ns + (uint64_t)(int64_t)ns;
}

/* True if ticks follow others of their stretch. A large distance means that the counter began again. */
static bool is_behind(uint64_t ticks, uint64_t other)
{
  return (int64_t)(ticks - other) >= 0;
}

/* The anchor at which the piece with these ticks begins, which lie within the stretch. */
static const struct anchor *piece_of(const struct clock_map *map, struct stretch in, uint64_t ticks)
{
  const struct anchor *anchors = map->anchors.items;
  size_t low = in.begin, high = in.end - 1; /* the piece begins at low or behind, and ends at high or before */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (anchors[middle].ticks <= ticks)
      low = middle;
    else
      high = middle;
  }
  return &anchors[low];
}

static uint64_t time_in(const struct clock_map *map, struct stretch in, uint64_t ticks)
{
  const struct anchor *first = &map->anchors.items[in.begin], *last = &map->anchors.items[in.end - 1];
  if (!is_behind(ticks, first->ticks))
    return extend(map, first, ticks, first < last ? first : NULL);
  if (is_behind(ticks, last->ticks))
    return extend(map, last, ticks, first < last ? last - 1 : NULL);
  const struct anchor *a = piece_of(map, in, ticks);
  struct clock_piece piece = {.number = clock_map_is_broken(map) ? 0 : map->number,
                              .ticks = a[0].ticks,
                              .length = a[1].ticks - a[0].ticks,
                              .time = a[0].monotonic_ns,
                              .duration = a[1].monotonic_ns - a[0].monotonic_ns};
  /* Rounded up, so that the end of the piece is reached. */
  double ns_a_tick = ceil((double)piece.duration / (double)piece.length * (double)(1ull << CLOCK_PIECE_SHIFT));
  piece.ns_a_tick = ns_a_tick < 0x1p63 ? (uint64_t)ns_a_tick : UINT64_MAX >> 1;
  clock_piece_used = piece;
  uint64_t ns = (uint64_t)((unsigned __int128)(ticks - piece.ticks) * piece.ns_a_tick >> CLOCK_PIECE_SHIFT);
  return piece.time + (ns < piece.duration ? ns : piece.duration);
}

/* When a stretch can have been: it begins at the last anchor of the one before, and ends at the first of the next. */
static bool is_time_of(const struct clock_map *map, struct stretch stretch, uint64_t time)
{
  return (stretch.begin == 0 || time >= map->anchors.items[stretch.begin - 1].monotonic_ns) &&
         (stretch.end == map->anchors.count || time <= map->anchors.items[stretch.end].monotonic_ns);
}

uint64_t clock_map_time_slowly(const struct clock_map *map, uint64_t ticks)
{
  return clock_map_time_after(map, ticks, 0);
}

uint64_t clock_map_time_after(const struct clock_map *map, uint64_t ticks, uint64_t since)
{
  for (size_t i = 0; i < map->stretches.count; i++) {
    struct stretch stretch = stretch_of(map, i);
    uint64_t time = time_in(map, stretch, ticks);
    if (map->stretches.count == 1 || (is_time_of(map, stretch, time) && time + SLACK_NS >= since))
      return time > since ? time : since;
  }
  return since > 0 ? since : time_in(map, stretch_of(map, map->stretches.count - 1), ticks);
}

uint64_t clock_map_time_before(const struct clock_map *map, uint64_t ticks, uint64_t until)
{
  for (size_t i = map->stretches.count; i-- > 0;) {
    struct stretch stretch = stretch_of(map, i);
    uint64_t time = time_in(map, stretch, ticks);
    if (map->stretches.count == 1 || (is_time_of(map, stretch, time) && time <= until + SLACK_NS))
      return time;
  }
  return time_in(map, stretch_of(map, 0), ticks);
}

uint64_t clock_map_ticks(const struct clock_map *map, uint64_t time)
{
  const struct anchor *anchors = map->anchors.items;
  size_t low = 0, high = map->anchors.count - 1;
  if (time >= anchors[high].monotonic_ns)
    low = high;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (anchors[middle].monotonic_ns <= time)
      low = middle;
    else
      high = middle;
  }
  double ns = (double)(int64_t)(time - anchors[low].monotonic_ns), rate = map->rate;
  if (ns >= 0 && low < high && anchors[high].ticks >= anchors[low].ticks)
    rate = ticks_between(&anchors[low], &anchors[high]) / ns_between(&anchors[low], &anchors[high]);
  double ticks = floor(ns * rate);
  return ticks > -0x1p62 && ticks < 0x1p62 ? anchors[low].ticks + (uint64_t)(int64_t)ticks : anchors[low].ticks;
}
