#include "analyzer/analyses/loops/loop_watcher.h"

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/states/machine.h"
#include "common/raw/archive_names.h"

#include <stddef.h>
#include <stdlib.h>

#define ITERATIONS_MAX (1ull << 62) /* more cannot have been executed */

static int compare_first(const void *a, const void *b)
{
  int64_t left = ((const struct piece_of_loop *)a)->first, right = ((const struct piece_of_loop *)b)->first;
  return (left > right) - (left < right);
}

/* The cell of a piece: cells are 2^shift wide and count from the smallest first. */
static uint64_t cell_of(const struct piece_list *list, size_t i, unsigned shift)
{
  return ((uint64_t)list->pieces.items[i].first - (uint64_t)list->pieces.items[0].first) >> shift;
}

/* Puts together the pieces that begin in the same cell, for cells so wide that at most half of the pieces remain. */
static void coarsen(struct piece_list *list)
{
  qsort(list->pieces.items, list->pieces.count, sizeof *list->pieces.items, compare_first);
  unsigned shift = 0;
  for (size_t cells = list->pieces.count; cells > list->pieces.count / 2 && shift < 63;) {
    shift++;
    cells = 1;
    for (size_t i = 1; i < list->pieces.count; i++)
      cells += cell_of(list, i, shift) != cell_of(list, i - 1, shift);
  }
  size_t kept = 0;
  uint64_t cell = 0;
  for (size_t i = 1; i < list->pieces.count; i++) {
    const struct piece_of_loop piece = list->pieces.items[i];
    uint64_t own = cell_of(list, i, shift);
    struct piece_of_loop *last = &list->pieces.items[kept];
    if (own != cell) {
      list->pieces.items[++kept] = piece;
    } else {
      last->iterations += piece.iterations;
      last->chunks += piece.chunks;
      last->ticks += piece.ticks;
    }
    cell = own;
  }
  list->pieces.count = kept + 1;
  list->coarse = true;
}

static bool profile_put(struct piece_list *list, const struct piece_of_loop *piece)
{
  if (list->pieces.count == PROFILE_PIECES)
    coarsen(list);
  /* Most executions of most loops have one or two chunks a thread, and many may wait for other threads' shares. */
  return (list->pieces.room > 0 || vector_set_room(&list->pieces, 2)) && vector_push(&list->pieces, *piece);
}

bool piece_list_add(struct piece_list *list, const struct piece_of_loop *piece)
{
  if (list->pieces.count > 0) {
    int64_t before = list->pieces.items[list->pieces.count - 1].first;
    list->rises += piece->first > before;
    list->falls += piece->first < before;
  }
  return profile_put(list, piece);
}

bool piece_list_append(struct piece_list *list, const struct piece_list *from)
{
  list->rises += from->rises;
  list->falls += from->falls;
  list->coarse |= from->coarse;
  for (size_t i = 0; i < from->pieces.count; i++) {
    if (!profile_put(list, &from->pieces.items[i]))
      return false;
  }
  return true;
}

void piece_list_free(struct piece_list *list)
{
  vector_free(&list->pieces);
  *list = (struct piece_list){0};
}

/* True if each piece begins where the one before it ends; an iteration may be any distance from the next. */
static bool profile_is_whole(const struct piece_list *list, bool down)
{
  uint64_t stride = 0;
  for (size_t i = 1; i < list->pieces.count; i++) {
    const struct piece_of_loop *before = &list->pieces.items[i - 1], *after = &list->pieces.items[i];
    if (down) { /* they are sorted upwards still */
      before = &list->pieces.items[i];
      after = &list->pieces.items[i - 1];
    }
    uint64_t distance =
        down ? (uint64_t)before->first - (uint64_t)after->first : (uint64_t)after->first - (uint64_t)before->first;
    if (i == 1)
      stride = distance / before->iterations;
    if (stride == 0 || distance % before->iterations != 0 || distance / before->iterations != stride)
      return false;
  }
  return true;
}

/* True if the iterations are so many that they cannot be true. Pieces have at least one. */
static bool is_absurd(const struct piece_list *list)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < list->pieces.count; i++) {
    if (list->pieces.items[i].iterations > ITERATIONS_MAX || (sum += list->pieces.items[i].iterations) > ITERATIONS_MAX)
      return true;
  }
  return false;
}

/* True if the loop counts down. A single step allows both directions: then the fitting one. */
static bool counts_down(const struct piece_list *list)
{
  if (list->rises != list->falls)
    return list->falls > list->rises;
  return !profile_is_whole(list, false) && profile_is_whole(list, true);
}

bool profile_make(struct profile *profile, struct piece_list *list, double overhead, bool *no_memory)
{
  *profile = (struct profile){0};
  *no_memory = false;
  if (list->pieces.count == 0 || is_absurd(list))
    return false;
  qsort(list->pieces.items, list->pieces.count, sizeof *list->pieces.items, compare_first);
  bool down = counts_down(list);
  if (!list->coarse && !profile_is_whole(list, down))
    return false;
  profile->count = list->pieces.count;
  profile->begins = calloc(list->pieces.count + 1, sizeof *profile->begins);
  profile->costs = calloc(list->pieces.count + 1, sizeof *profile->costs);
  if (!profile->begins || !profile->costs) {
    profile_free(profile);
    *no_memory = true;
    return false;
  }
  for (size_t i = 0; i < list->pieces.count; i++) {
    const struct piece_of_loop *piece = &list->pieces.items[down ? list->pieces.count - 1 - i : i];
    double cost = (double)piece->ticks - overhead * (double)piece->chunks;
    profile->begins[i + 1] = profile->begins[i] + piece->iterations;
    profile->costs[i + 1] = profile->costs[i] + (cost > 0 ? cost : 0);
  }
  return true;
}

void profile_free(struct profile *profile)
{
  free(profile->begins);
  free(profile->costs);
  *profile = (struct profile){0};
}

size_t profile_piece_at(const struct profile *profile, uint64_t at)
{
  size_t low = 0, high = profile->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (profile->begins[middle + 1] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct profile_cost profile_before(const struct profile *profile, uint64_t at)
{
  size_t i = profile_piece_at(profile, at);
  double before = profile->costs[i];
  if (i == profile->count || profile->begins[i] == at)
    return (struct profile_cost){before, before, before};
  double part = (double)(at - profile->begins[i]) / (double)(profile->begins[i + 1] - profile->begins[i]);
  double piece = profile->costs[i + 1] - before;
  return (struct profile_cost){before + part * piece, before, before + piece};
}

/* A place at the end of the queue. NULL: out of memory. */
static struct share *loop_watcher_put(struct loop_watcher *watcher)
{
  return item_queue_add(&watcher->queue);
}

static uint64_t tool_ticks(const struct machine_view *view)
{
  return machine_total(view, STATE_TRACEFLUSH) + machine_total(view, STATE_UNMEASURED);
}

static uint64_t off_ticks(const struct machine_view *view)
{
  return machine_total(view, STATE_READY) + machine_total(view, STATE_OFF);
}

static struct loop_open *top(struct loop_watcher *watcher)
{
  return watcher->open.count ? &watcher->open.items[watcher->open.count - 1] : NULL;
}

static struct loop_open *push(struct loop_watcher *watcher, enum loop_open_kind kind, uint32_t region, uint64_t time)
{
  struct loop_open one = {
      .kind = kind, .region = region, .depth = watcher->view->depth, .begin = time, .tool = tool_ticks(watcher->view)};
  one.off = kind == OPEN_LOOP ? off_ticks(watcher->view) : 0;
  if (!vector_push(&watcher->open, one))
    return NULL;
  watcher->open_depth = one.depth;
  return top(watcher);
}

/* The share of the innermost loop. There must be one. */
static struct share *top_share(struct loop_watcher *watcher)
{
  return &watcher->shares.items[watcher->shares.count - 1];
}

/* The innermost one is open no longer; valid until the next push(). */
static struct loop_open *pop(struct loop_watcher *watcher)
{
  struct loop_open *open = top(watcher);
  watcher->open.count--;
  watcher->open_depth = watcher->open.count ? open[-1].depth : 0;
  return open;
}

/* Puts a chunk that has ended into its loop's share. */
static bool close_chunk(struct loop_watcher *watcher, const struct loop_open *chunk, uint64_t time)
{
  struct loop_open *loop = top(watcher);
  if (!loop || loop->kind != OPEN_LOOP)
    return true;
  struct share *share = top_share(watcher);
  uint64_t tool = tool_ticks(watcher->view) - chunk->tool;
  uint64_t ticks = time - chunk->begin > tool ? time - chunk->begin - tool : 0;
  bool is_first = share->chunks == 0;
  share->chunks += chunk->chunks;
  share->busy += ticks;
  if (__builtin_add_overflow(share->iterations, chunk->iterations, &share->iterations))
    share->broken = true;
  if (is_first)
    share->begin = chunk->begin;
  if (chunk->derived && !(is_first && ticks > 0 && chunk->chunks == 1)) {
    share->scattered = true;
    return true;
  }
  if (!is_first) {
    share->gaps++;
    share->gap_ticks += chunk->begin - loop->last_end;
  }
  loop->last_end = time;
  if (chunk->iterations == 0)
    return true;
  if (share->longest < chunk->iterations)
    share->longest = chunk->iterations;
  if (share->shortest == 0 || share->shortest > chunk->iterations)
    share->shortest = chunk->iterations;
  if (ticks < share->least_ticks)
    share->least_ticks = ticks;
  struct piece_of_loop piece = {chunk->first, chunk->iterations, 1, ticks};
  return piece_list_add(&share->pieces, &piece);
}

/* How often a region was met before in the innermost team. */
static bool count_occurrence(struct loop_watcher *watcher, uint32_t region, uint32_t *before)
{
  uint32_t level = watcher->levels - 1;
  struct loop_occurrence **occurrences = &watcher->occurrences[level];
  if (!*occurrences)
    *occurrences = calloc(watcher->trace->region_count, sizeof **occurrences);
  if (!*occurrences)
    return false;
  struct loop_occurrence *occurrence = &(*occurrences)[region];
  if (occurrence->stamp != watcher->stamps[level])
    *occurrence = (struct loop_occurrence){watcher->stamps[level], 0};
  *before = occurrence->count++;
  return true;
}

static bool close_loop(struct loop_watcher *watcher, const struct loop_open *loop, uint64_t time)
{
  struct share *share = watcher->levels > 0 ? loop_watcher_put(watcher) : NULL;
  if (!share)
    piece_list_free(&top_share(watcher)->pieces);
  else
    *share = *top_share(watcher);
  watcher->shares.count--;
  if (!share)
    return watcher->levels == 0;
  share->kind = SHARE_LOOP;
  share->region = loop->region;
  share->time = share->leave = time;
  share->enter = loop->begin;
  share->off = off_ticks(watcher->view) - loop->off;
  share->after_gap = watcher->had_gap[watcher->levels - 1];
  if (share->chunks == 0)
    share->begin = time;
  share->broken |= tool_ticks(watcher->view) - loop->tool > (time - loop->begin) / 2; /* hardly measured at all */
  return count_occurrence(watcher, loop->region, &share->occurrence);
}

/* Closes what was opened at a depth and is not open at this one; damaged archives can end several at once. */
static bool close_to(struct loop_watcher *watcher, size_t depth, uint64_t time, bool forced)
{
  while (depth < watcher->open_depth) {
    struct loop_open *open = pop(watcher);
    bool good = true;
    if (open->kind == OPEN_CHUNK) {
      struct loop_open *loop = top(watcher);
      if (forced && loop && loop->kind == OPEN_LOOP)
        top_share(watcher)->broken = true;
      good = close_chunk(watcher, open, time);
    } else if (open->kind == OPEN_LOOP) {
      top_share(watcher)->broken |= forced;
      good = close_loop(watcher, open, time);
    } else if (open->kind == OPEN_TEAM) {
      watcher->levels--;
      struct share *share = loop_watcher_put(watcher);
      good = share != NULL;
      if (share)
        *share = (struct share){.kind = SHARE_TEAM_END, .time = time};
    }
    if (!good)
      return false;
  }
  return true;
}

static bool begin_team(struct loop_watcher *watcher, uint32_t team, uint32_t region, uint64_t time)
{
  if (watcher->levels == LOOP_TEAM_LEVELS)
    return true;
  struct loop_open *open = push(watcher, OPEN_TEAM, region, time);
  struct share *share = open ? loop_watcher_put(watcher) : NULL;
  if (!share)
    return false;
  *share = (struct share){.kind = SHARE_TEAM_BEGIN, .team = team, .time = time};
  watcher->had_gap[watcher->levels] = false;
  watcher->stamps[watcher->levels++] = ++watcher->stamp;
  return true;
}

/* The encountering thread enters the region and forks; others join the team and enter it. Without teams: see
 * loop_watcher.h. */
static bool enter_parallel(struct loop_watcher *watcher, const struct trace_event *event)
{
  struct loop_open *outer = top(watcher);
  const struct trace *trace = watcher->trace;
  if (outer && outer->kind == OPEN_TEAM && outer->region == TRACE_NONE && outer->depth + 1 == watcher->view->depth) {
    outer->region = event->index;
    return true;
  }
  if (trace->team_count > 0)
    return push(watcher, OPEN_PARALLEL, event->index, event->time) != NULL;
  uint32_t process = trace->locations[watcher->location].process;
  return begin_team(watcher, process == TRACE_NONE ? trace->process_count : process, event->index, event->time);
}

static bool enter_chunk(struct loop_watcher *watcher, const struct trace_event *event)
{
  const struct loop_open *loop = top(watcher);
  const struct trace *trace = watcher->trace;
  if (!loop || loop->kind != OPEN_LOOP || loop->depth + 1 != watcher->view->depth)
    return true;
  struct loop_open *chunk = push(watcher, OPEN_CHUNK, event->index, event->time);
  if (!chunk)
    return false;
  chunk->derived = trace_attribute(event, trace->derived, 0) != 0;
  chunk->first = trace_attribute_signed(event, trace->first_iteration, 0);
  chunk->iterations = trace_attribute(event, trace->iterations, 0);
  chunk->chunks = trace_attribute(event, trace->chunks, 1);
  return true;
}

/* Loops whose iterations the threads of a team share. The chunks of other ones are tasks, or a league's. */
static bool is_shared_loop(const struct trace_region *region)
{
  return !trace_region_begins(region, REGION_TASKLOOP) && !trace_region_begins(region, REGION_DISTRIBUTE);
}

/* An ordered construct belongs to the innermost loop of the team. */
static void note_ordered(struct loop_watcher *watcher)
{
  const struct loop_open *open = watcher->open.items;
  size_t i = watcher->open.count;
  while (i > 0 && open[i - 1].kind == OPEN_CHUNK)
    i--;
  if (i > 0 && open[i - 1].kind == OPEN_LOOP)
    top_share(watcher)->ordered = true;
}

static bool after_enter(struct loop_watcher *watcher, const struct trace_event *event)
{
  if (event->index == TRACE_NONE)
    return true;
  enum rule rule = watcher->rules[event->index];
  if (rule == RULE_ORDERED)
    note_ordered(watcher);
  if (watcher->view->in_part)
    return rule != RULE_CHUNK || enter_chunk(watcher, event);
  if (rule == RULE_PARALLEL)
    return enter_parallel(watcher, event);
  if (rule != RULE_LOOP || watcher->levels == 0 || !is_shared_loop(&watcher->trace->regions[event->index]))
    return true;
  struct share share = {.least_ticks = UINT64_MAX};
  if (!vector_push(&watcher->shares, share))
    return false;
  return push(watcher, OPEN_LOOP, event->index, event->time) != NULL;
}

/* A part of all that is open now is unknown, and so is the number of loops until measurement is on again. */
static void note_gap(struct loop_watcher *watcher)
{
  for (size_t i = 0; i < watcher->shares.count; i++)
    watcher->shares.items[i].broken = true;
  for (uint32_t i = 0; i < watcher->levels; i++)
    watcher->had_gap[i] = true;
}

bool loop_watcher_event(void *lane, const struct trace_event *event)
{
  struct loop_watcher *watcher = lane;
  if (event->kind == TRACE_MeasurementOnOff && !event->on)
    note_gap(watcher);
  if (watcher->view->depth < watcher->open_depth) {
    bool forced = event->kind == TRACE_Leave && trace_attribute_text(watcher->trace, event, watcher->trace->closed);
    if (!close_to(watcher, watcher->view->depth, event->time, forced))
      return false;
  }
  if (event->kind == TRACE_Enter)
    return after_enter(watcher, event);
  if (event->kind != TRACE_ThreadTeamBegin || event->index == TRACE_NONE)
    return true;
  const struct loop_open *outer = top(watcher);
  return begin_team(watcher, event->index, outer && outer->kind == OPEN_PARALLEL ? outer->region : TRACE_NONE,
                    event->time);
}

bool loop_watcher_end(void *lane)
{
  struct loop_watcher *watcher = lane;
  return !watcher->place->cut || close_to(watcher, 0, watcher->view->last, true);
}

void loop_watcher_begin(struct loop_watcher *watcher, const struct trace *trace, const struct pass_location *location,
                        const uint8_t *rules)
{
  watcher->trace = trace;
  watcher->rules = rules;
  watcher->location = location->number;
  watcher->place = location;
  watcher->view = location->view;
  watcher->queue = (struct item_queue){.size = sizeof(struct share), .time_at = offsetof(struct share, time)};
}

void loop_watcher_close(void *context, void *lane)
{
  (void)context;
  struct loop_watcher *watcher = lane;
  for (size_t i = 0; i < watcher->shares.count; i++)
    piece_list_free(&watcher->shares.items[i].pieces);
  vector_free(&watcher->shares);
  for (struct share *share; (share = item_queue_first(&watcher->queue)); item_queue_drop_first(&watcher->queue))
    piece_list_free(&share->pieces);
  for (size_t i = 0; i < LOOP_TEAM_LEVELS; i++)
    free(watcher->occurrences[i]);
  vector_free(&watcher->open);
  item_queue_free(&watcher->queue);
}

struct item_queue *loop_watcher_queue(void *lane)
{
  return &((struct loop_watcher *)lane)->queue;
}
