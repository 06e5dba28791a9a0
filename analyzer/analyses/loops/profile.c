#include "analyzer/analyses/loops/profile.h"

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

/* True if the loop counts down. Of a single step both are possible: then what fits. */
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
