#include "analyzer/live/screen/figures.h"

#include "analyzer/live/profile/states.h"
#include "analyzer/live/readings/metric_focus.h"

#include <stdlib.h>
#include <string.h>

/* The rows of one thread, or of all; they are sorted by location. */
static struct profiled rows_of(const struct profiled *profile, uint32_t only)
{
  struct profiled part = *profile;
  if (only == TRACE_NONE)
    return part;
  size_t first = 0;
  while (first < profile->count && profile->rows[first].location != only)
    first++;
  part.rows = profile->rows + first;
  part.count = 0;
  while (first + part.count < profile->count && part.rows[part.count].location == only)
    part.count++;
  return part;
}

static void add_construct(struct construct_figures *sum, const struct profile_row *row, bool one_thread)
{
  sum->region = row->region;
  sum->kind = row->region == TRACE_NONE ? row->kind : PROFILE_CONSTRUCT;
  sum->executions += live_executions(row, one_thread);
  sum->self += row->self;
  if (row->kind != PROFILE_HOLD && row->longest > sum->longest)
    sum->longest = row->longest;
}

static void add_lock(struct lock_figures *sum, const struct profile_row *row)
{
  sum->region = row->region;
  if (row->kind == PROFILE_HOLD) {
    sum->held += row->inclusive;
    return;
  }
  sum->acquired += row->executions;
  sum->contended += row->contended;
  sum->waiting += row->self;
  sum->longest = row->longest > sum->longest ? row->longest : sum->longest;
}

/* Takes out the entries of what had no time and no execution. */
static void close_gaps(struct figures *figures, size_t constructs, size_t locks)
{
  for (size_t i = 0; i < constructs; i++) {
    const struct construct_figures *at = &figures->constructs[i];
    if (at->executions > 0 || at->self > 0 || at->waiting > 0)
      figures->constructs[figures->construct_count++] = *at;
  }
  for (size_t i = 0; i < locks; i++)
    if (figures->locks[i].acquired > 0 || figures->locks[i].waiting > 0 || figures->locks[i].held > 0)
      figures->locks[figures->lock_count++] = figures->locks[i];
}

bool figures_of(struct figures *figures, uint32_t only)
{
  const struct trace *trace = figures->between.trace;
  struct profiled rows = rows_of(&figures->between.profile, only);
  size_t regions = trace->region_count;
  free(figures->constructs);
  free(figures->locks);
  figures->construct_count = figures->lock_count = 0;
  figures->constructs = calloc(regions + PROFILE_KINDS, sizeof *figures->constructs);
  figures->locks = calloc(regions + 1, sizeof *figures->locks);
  struct profiled_wait *waits = profiled_waits(trace, &rows);
  bool good = figures->constructs && figures->locks && waits;
  figures->only = only;
  figures->time = profiled_time(&rows);
  for (size_t i = 0; good && i < rows.count; i++) {
    const struct profile_row *row = &rows.rows[i];
    size_t at = row->region != TRACE_NONE ? row->region : regions + row->kind;
    add_construct(&figures->constructs[at], row, only != TRACE_NONE);
    if (row->region != TRACE_NONE && (row->kind == PROFILE_ACQUIRE || row->kind == PROFILE_HOLD))
      add_lock(&figures->locks[row->region], row);
  }
  for (size_t i = 0; good && i < regions; i++) {
    figures->constructs[i].waiting = waits[i].all;
    figures->constructs[i].win = profiled_win(&waits[i]);
  }
  free(waits);
  if (good)
    close_gaps(figures, regions + PROFILE_KINDS, regions);
  return good;
}

static bool list_threads(struct figures *figures)
{
  uint32_t count = figures->between.location_count;
  figures->threads = calloc((size_t)count + 1, sizeof *figures->threads);
  if (!figures->threads)
    return false;
  figures->threads[figures->thread_count++] = TRACE_NONE;
  for (uint32_t i = 0; i < count; i++)
    if (!figures->between.threads[i].over || figures_thread(figures, i, THREAD_NAME) > 0)
      figures->threads[figures->thread_count++] = i;
  return true;
}

bool figures_make(struct figures *figures, struct live_reading *between, uint64_t stretch, uint32_t only)
{
  *figures = (struct figures){.between = *between, .stretch = stretch > 0 ? stretch : 1};
  between->threads = NULL;
  between->profile = (struct profiled){.rows = NULL};
  if (profiled_states(figures->between.trace, &figures->between.profile, &figures->sums) && list_threads(figures) &&
      figures_of(figures, only))
    return true;
  figures_free(figures);
  return false;
}

void figures_free(struct figures *figures)
{
  live_reading_free(&figures->between);
  states_sums_free(&figures->sums);
  free(figures->constructs);
  free(figures->locks);
  free(figures->threads);
  *figures = (struct figures){.only = TRACE_NONE};
}

void figures_states(const struct figures *figures, uint32_t location, wide_total ticks[STATES])
{
  for (unsigned state = 0; state < STATES; state++) {
    ticks[state] = 0;
    for (uint32_t i = 0; i < figures->between.location_count; i++)
      if (location == TRACE_NONE || location == i)
        ticks[state] += figures->sums.threads[i].ticks[state];
  }
}

uint32_t figures_alive(const struct figures *figures)
{
  uint32_t alive = 0;
  for (uint32_t i = 0; i < figures->between.location_count; i++)
    alive += !figures->between.threads[i].over;
  return alive;
}

wide_total figures_thread(const struct figures *figures, uint32_t location, enum thread_column column)
{
  const wide_total *ticks = figures->sums.threads[location].ticks;
  wide_total sum = 0;
  for (unsigned state = 0; state < STATES; state++) {
    bool waits = state_is_wait((enum state)state) && state != STATE_IDLE;
    sum += column == THREAD_NAME || (column == THREAD_RUN && state == STATE_RUN) ||
                   (column == THREAD_IDLE && state == STATE_IDLE) || (column == THREAD_WAITING && waits)
               ? ticks[state]
               : 0;
  }
  return sum;
}

/* qsort_r()'s third argument: by what. */
struct order {
  const struct figures *figures;
  unsigned column;
};

static wide_total construct_key(const struct construct_figures *at, enum construct_column column)
{
  switch (column) {
  case CONSTRUCT_WIN:
    return at->win;
  case CONSTRUCT_WAITING:
    return at->waiting;
  case CONSTRUCT_RATE:
    return at->executions;
  case CONSTRUCT_LONGEST:
    return at->longest;
  default:
    return at->self;
  }
}

static int descending(wide_total left, wide_total right)
{
  return left == right ? 0 : left < right ? 1 : -1;
}

static int compare_constructs(const void *a, const void *b, void *context)
{
  const struct construct_figures *left = a, *right = b;
  enum construct_column column = (enum construct_column)((const struct order *)context)->column;
  int result = descending(construct_key(left, column), construct_key(right, column));
  result = result ? result : descending(left->self, right->self);
  result = result ? result : (left->region > right->region) - (left->region < right->region);
  return result ? result : (left->kind > right->kind) - (left->kind < right->kind);
}

static wide_total lock_key(const struct lock_figures *at, enum lock_column column)
{
  switch (column) {
  case LOCK_HOLDING:
    return at->held;
  case LOCK_ACQUIRED:
    return at->acquired;
  case LOCK_CONTENDED:
    return at->contended;
  case LOCK_LONGEST:
    return at->longest;
  default:
    return at->waiting;
  }
}

static int compare_locks(const void *a, const void *b, void *context)
{
  const struct lock_figures *left = a, *right = b;
  enum lock_column column = (enum lock_column)((const struct order *)context)->column;
  int result = descending(lock_key(left, column), lock_key(right, column));
  return result ? result : (left->region > right->region) - (left->region < right->region);
}

static int compare_threads(const void *a, const void *b, void *context)
{
  const struct order *order = context;
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  enum thread_column column = (enum thread_column)order->column;
  const struct trace_location *locations = order->figures->between.trace->locations;
  int result = column == THREAD_NAME ? strverscmp(locations[left].name, locations[right].name)
                                     : descending(figures_thread(order->figures, left, column),
                                                  figures_thread(order->figures, right, column));
  return result ? result : (left > right) - (left < right);
}

void figures_sort_constructs(struct figures *figures, enum construct_column column)
{
  struct order order = {figures, column};
  if (figures->construct_count > 1)
    qsort_r(figures->constructs, figures->construct_count, sizeof *figures->constructs, compare_constructs, &order);
}

void figures_sort_locks(struct figures *figures, enum lock_column column)
{
  struct order order = {figures, column};
  if (figures->lock_count > 1)
    qsort_r(figures->locks, figures->lock_count, sizeof *figures->locks, compare_locks, &order);
}

void figures_sort_threads(struct figures *figures, enum thread_column column)
{
  struct order order = {figures, column};
  if (figures->thread_count > 2)
    qsort_r(figures->threads + 1, figures->thread_count - 1, sizeof *figures->threads, compare_threads, &order);
}
