#include "analyzer/models/markov/changes.h"

#include "analyzer/models/markov/statistics.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct blocks_ranked {
  uint64_t count;
  size_t at;
};

static int blocks_compare_ranked(const void *left, const void *right)
{
  const struct blocks_ranked *a = left, *b = right;
  if (a->count != b->count)
    return a->count < b->count ? 1 : -1;
  return (a->at > b->at) - (a->at < b->at);
}

/* places[i]: rank of i among the `most` largest counts; none for a count of 0. Returns the number of ranks. */
static uint32_t blocks_choose(struct blocks_ranked *ranked, size_t count, uint32_t most, uint32_t *places)
{
  uint32_t used = 0;
  if (count > 0)
    qsort(ranked, count, sizeof *ranked, blocks_compare_ranked);
  for (size_t i = 0; i < count; i++)
    places[ranked[i].at] = used < most && ranked[i].count > 0 ? used++ : UINT32_MAX;
  return used;
}

bool markov_blocks_begin(struct markov_blocks *blocks, const struct markov_model *run)
{
  uint64_t count = run->records / MARKOV_BLOCK_RECORDS;
  *blocks = (struct markov_blocks){.count = (uint32_t)(count > MARKOV_BLOCKS_MOST ? MARKOV_BLOCKS_MOST : count)};
  blocks->count = blocks->count > 0 ? blocks->count : 1;
  blocks->length = run->records / blocks->count > 0 ? run->records / blocks->count : 1;
  blocks->state_at = malloc(((size_t)run->count + 1) * sizeof *blocks->state_at);
  blocks->edge_at = malloc((run->edge_count + 1) * sizeof *blocks->edge_at);
  size_t larger = run->count > run->edge_count ? run->count : run->edge_count;
  struct blocks_ranked *ranked = calloc(larger + 1, sizeof *ranked);
  bool good = blocks->state_at && blocks->edge_at && ranked;
  if (good) {
    for (uint32_t i = 0; i < run->count; i++)
      ranked[i] = (struct blocks_ranked){run->list[i].occupancy.count, i};
    blocks->states = blocks_choose(ranked, run->count, MARKOV_BLOCK_STATES, blocks->state_at);
    for (uint32_t i = 0; i < run->count; i++) {
      for (uint32_t k = 0; k < run->list[i].edge_count; k++) {
        size_t at = (size_t)(&run->list[i].edges[k] - run->edges);
        ranked[at] = (struct blocks_ranked){run->list[i].edges[k].count, at};
      }
    }
    blocks->edges = blocks_choose(ranked, run->edge_count, MARKOV_BLOCK_EDGES, blocks->edge_at);
    blocks->features = 2 * blocks->states + blocks->edges + 1;
    blocks->values = calloc((size_t)blocks->count * blocks->features + 1, sizeof *blocks->values);
  }
  free(ranked);
  return good && blocks->values;
}

void markov_blocks_free(struct markov_blocks *blocks)
{
  free(blocks->state_at);
  free(blocks->edge_at);
  free(blocks->values);
  *blocks = (struct markov_blocks){0};
}

enum { LAG = 8 };
#define INDEPENDENT 0.8 /* neighbours differ by this part of what distant blocks differ by, or more */

static double median_step(const double *values, uint32_t count, uint32_t lag, double *scratch)
{
  for (uint32_t i = 0; i + lag < count; i++)
    scratch[i] = fabs(values[i + lag] - values[i]);
  doubles_sort(scratch, count - lag);
  return scratch[(count - lag) / 2];
}

bool markov_blocks_independent(const double *values, uint32_t features, uint32_t count, double *scratch)
{
  double ratios = 0;
  uint32_t used = 0, lag = count >= 4 * LAG ? LAG : count / 4;
  for (uint32_t f = 0; f < features; f++) {
    const double *own = &values[(size_t)f * count];
    double distant = median_step(own, count, lag, scratch);
    if (distant > 0) {
      ratios += fmin(median_step(own, count, 1, scratch) / distant, 1 / INDEPENDENT);
      used++;
    }
  }
  return ratios >= INDEPENDENT * used;
}

enum { SEGMENT_LEAST = 8, SIDE_LEAST = 2, CHANGES_PERMUTATIONS = 999 };
#define CHANGES_NORMAL_OF_POWER 1.2815515655446004
#define RANKS_ARE_LESS          1.08 /* Wilcoxon's test needs at most this much more than the mean's (efficiency 0.864) */

struct changes_search {
  const struct markov_blocks *blocks;
  const struct markov_change_options *options;
  struct markov_changes *changes;
  struct markov_random random;
  uint32_t features;
  double *sums;   /* by joined block, then feature, as in the blocks */
  double *shares; /* by feature, then joined block */
  double *ranks;  /* ranks of a segment, centred; by feature, then block; only features that vary */
  double *scale;  /* of places in the segment */
  double *scratch, *permuted;
  uint32_t *order;
  double permutations;
};

/* Sums over `joined` blocks each; what remains goes to the last one. */
static uint32_t join(struct changes_search *search, uint32_t joined)
{
  const struct markov_blocks *blocks = search->blocks;
  uint32_t count = blocks->count / joined, features = search->features;
  memset(search->sums, 0, (size_t)count * features * sizeof *search->sums);
  for (uint32_t i = 0; i < blocks->count; i++) {
    uint32_t into = i / joined < count ? i / joined : count - 1;
    for (uint32_t f = 0; f < features; f++)
      search->sums[(size_t)into * features + f] += blocks->values[(size_t)i * features + f];
  }
  uint64_t length = blocks->length * joined, last = blocks->records - length * (count - 1);
  for (uint32_t i = 0; i < count; i++) {
    const double *sums = &search->sums[(size_t)i * features];
    double records = (double)(i + 1 < count ? length : last), ticks = sums[features - 1];
    for (uint32_t f = 0; f < features; f++)
      search->shares[(size_t)f * count + i] =
          f < blocks->states ? (ticks > 0 ? sums[f] / ticks : 0) : sums[f] / records;
  }
  return count;
}

/* Average ranks, minus their mean, over their deviation. False: all are equal. */
static bool rank(struct changes_search *search, const double *values, uint32_t count, double *ranks)
{
  double squares = 0;
  memcpy(search->scratch, values, count * sizeof *values);
  doubles_sort(search->scratch, count);
  if (search->scratch[0] == search->scratch[count - 1])
    return false;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t below = 0, upto = count; /* values less than this one; at most this one */
    for (uint32_t low = 0, high = count; low < high;) {
      uint32_t middle = (low + high) / 2;
      if (search->scratch[middle] < values[i])
        low = below = middle + 1;
      else
        high = middle;
    }
    for (uint32_t low = below, high = count; low < high;) {
      uint32_t middle = (low + high) / 2;
      if (search->scratch[middle] <= values[i])
        low = middle + 1;
      else
        high = upto = middle;
    }
    ranks[i] = ((double)below + upto - count) / 2;
    squares += ranks[i] * ranks[i];
  }
  double deviation = sqrt(squares / (count - 1));
  for (uint32_t i = 0; i < count; i++)
    ranks[i] /= deviation;
  return true;
}

/* The largest scaled sum of ranks before a place, over all features and places. `order` NULL: as they are. */
static double largest(const struct changes_search *search, uint32_t features, uint32_t count, const uint32_t *order,
                      uint32_t *place)
{
  double most = 0;
  for (uint32_t f = 0; f < features; f++) {
    const double *ranks = &search->ranks[(size_t)f * count];
    double sum = 0;
    for (uint32_t i = 0; i + SIDE_LEAST < count; i++) {
      sum += ranks[order ? order[i] : i];
      double scaled = fabs(sum) * search->scale[i];
      if (scaled > most) {
        most = scaled;
        *place = i + 1;
      }
    }
  }
  return most;
}

static void shuffle(struct changes_search *search, uint32_t count)
{
  for (uint32_t i = count - 1; i > 0; i--) {
    uint32_t other = (uint32_t)markov_random_below(&search->random, i + 1), own = search->order[i];
    search->order[i] = search->order[other];
    search->order[other] = own;
  }
}

static double changes_part(double of, double all)
{
  return all > 0 ? of / all : 0;
}

/* The largest one of the differences in time, in transitions, and in the records' mean time. */
static double difference(const struct changes_search *search, uint32_t begin, uint32_t place, uint32_t end)
{
  uint32_t features = search->features;
  double *before = search->scratch, *behind = search->scratch + features;
  double records[2] = {place - begin, end - place}, most = 0;
  memset(before, 0, 2 * features * sizeof *before);
  for (uint32_t i = begin; i < end; i++) {
    for (uint32_t f = 0; f < features; f++)
      (i < place ? before : behind)[f] += search->sums[(size_t)i * features + f];
  }
  for (unsigned group = 0; group < 3; group++) {
    double all[2] = {0, 0}, apart = 0;
    for (uint32_t f = markov_blocks_group(search->blocks, group); f < markov_blocks_group(search->blocks, group + 1);
         f++) {
      all[0] += before[f];
      all[1] += behind[f];
    }
    for (uint32_t f = markov_blocks_group(search->blocks, group); f < markov_blocks_group(search->blocks, group + 1);
         f++)
      apart += fabs(changes_part(before[f], all[0]) - changes_part(behind[f], all[1]));
    most = fmax(most, apart / 2);
  }
  double pace[2] = {before[features - 1] / records[0], behind[features - 1] / records[1]};
  return fmax(most, 1 - changes_part(fmin(pace[0], pace[1]), fmax(pace[0], pace[1])));
}

/* Smallest difference of time shares between both halves that exceeds this limit, if all states contribute. */
static double smallest_difference(const struct changes_search *search, uint32_t count, double limit)
{
  double all = 0;
  for (uint32_t f = 0; f < search->blocks->states; f++) {
    const double *values = &search->shares[(size_t)f * count];
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
      sum += values[i];
    for (uint32_t i = 0; i < count; i++)
      squares += (values[i] - sum / count) * (values[i] - sum / count);
    all += sqrt(squares / (count - 1));
  }
  return fmin(1, RANKS_ARE_LESS * (limit + CHANGES_NORMAL_OF_POWER) * all / sqrt(count));
}

/* Tests blocks from begin to end, of `count` in all. False: no change. */
static bool test_segment(struct changes_search *search, uint32_t begin, uint32_t end, uint32_t count, uint32_t *place,
                         struct markov_change *change)
{
  uint32_t length = end - begin, varying = 0, anywhere = 0, permutations = (uint32_t)search->permutations;
  for (uint32_t f = 0; f < search->features; f++)
    varying +=
        rank(search, &search->shares[(size_t)f * count + begin], length, &search->ranks[(size_t)varying * length]);
  for (uint32_t i = 0; i < length; i++) {
    search->order[i] = i;
    search->scale[i] = i + 1 < SIDE_LEAST || i + 1 == length ? 0 : sqrt(length / ((i + 1.) * (length - i - 1.)));
  }
  *place = length / 2;
  double observed = largest(search, varying, length, NULL, place);
  uint32_t as_far = 0;
  bool whole = length == count;
  for (uint32_t i = 0; i < permutations; i++) {
    shuffle(search, length);
    search->permuted[i] = largest(search, varying, length, search->order, &anywhere);
    as_far += search->permuted[i] >= observed * (1 - 1e-12);
  }
  *place += begin;
  change->record = *place * search->changes->length;
  change->p = (1. + as_far) / (1. + permutations);
  change->difference = difference(search, begin, *place, end);
  if (whole) {
    doubles_sort(search->permuted, permutations);
    double limit = search->permuted[(uint32_t)((1 - search->options->level) * (permutations - 1))];
    search->changes->smallest = smallest_difference(search, count, limit);
  }
  return change->p <= search->options->level && change->difference > search->options->tolerance;
}

static void split(struct changes_search *search, uint32_t begin, uint32_t end, uint32_t count)
{
  struct markov_changes *changes = search->changes;
  struct markov_change change;
  uint32_t place;
  if (end - begin < SEGMENT_LEAST)
    return;
  bool changed = test_segment(search, begin, end, count, &place, &change);
  if (end - begin == count)
    changes->first = change;
  if (!changed || changes->count == MARKOV_CHANGES_MOST)
    return;
  split(search, begin, place, count);
  if (changes->count < MARKOV_CHANGES_MOST)
    changes->list[changes->count++] = change;
  split(search, place, end, count);
}

static bool changes_make_room(struct changes_search *search)
{
  size_t count = search->blocks->count, cells = count * search->features + 1;
  size_t scratch = count > 2 * search->features ? count : 2 * search->features;
  search->sums = calloc(cells, sizeof *search->sums);
  search->shares = calloc(cells, sizeof *search->shares);
  search->ranks = calloc(cells, sizeof *search->ranks);
  search->scale = calloc(count + 1, sizeof *search->scale);
  search->order = calloc(count + 1, sizeof *search->order);
  search->scratch = calloc(scratch + 1, sizeof *search->scratch);
  search->permutations = fmax(CHANGES_PERMUTATIONS, ceil(2 / search->options->level));
  search->permuted = calloc((size_t)search->permutations + 1, sizeof *search->permuted);
  return search->sums && search->shares && search->ranks && search->scale && search->order && search->scratch &&
         search->permuted;
}

bool markov_changes_find(const struct markov_blocks *blocks, const struct markov_change_options *options,
                         struct markov_changes *changes)
{
  struct changes_search search = {
      .blocks = blocks, .options = options, .changes = changes, .features = blocks->features};
  *changes = (struct markov_changes){.first = {.p = 1}, .smallest = INFINITY};
  bool good = changes_make_room(&search);
  uint32_t joined = 1, count = blocks->count;
  markov_random_seed(&search.random, options->seed);
  while (good && count >= MARKOV_JOINED_MARGIN * MARKOV_JOINED_LEAST &&
         !markov_blocks_independent(search.shares, search.features, join(&search, joined), search.scratch)) {
    joined *= 2;
    count = blocks->count / joined;
  }
  if (good && count >= MARKOV_JOINED_MARGIN * MARKOV_JOINED_LEAST) {
    count = join(&search, joined * MARKOV_JOINED_MARGIN);
    changes->is_tested = true;
    changes->blocks = count;
    changes->length = blocks->length * joined * MARKOV_JOINED_MARGIN;
    split(&search, 0, count, count);
  }
  free(search.sums);
  free(search.shares);
  free(search.ranks);
  free(search.scale);
  free(search.order);
  free(search.scratch);
  free(search.permuted);
  return good;
}
