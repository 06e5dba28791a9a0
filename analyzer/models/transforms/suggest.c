#include "analyzer/models/transforms/suggest.h"

#include "base/count_of.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state_at(const struct repeats *repeats, uint64_t number)
{
  return repeats->ring[number % REPEATS_LONGEST];
}

/* True if a pattern repeats a shorter one. */
static bool is_shorter(const uint32_t *states, uint32_t length)
{
  for (uint32_t n = 1; n <= length / 2; n++)
    if (length % n == 0 && memcmp(states, states + n, (length - n) * sizeof *states) == 0)
      return true;
  return false;
}

/* True if the pattern from state a on is before the pattern from b on. */
static bool is_less(const uint32_t *states, uint32_t length, uint32_t a, uint32_t b)
{
  for (uint32_t i = 0; i < length; i++) {
    uint32_t left = states[(a + i) % length], right = states[(b + i) % length];
    if (left != right)
      return left < right;
  }
  return false;
}

/* Hash of a pattern, the same for all its rotations. */
static uint64_t key_of(const uint32_t *states, uint32_t length)
{
  uint32_t least = 0;
  for (uint32_t i = 1; i < length; i++)
    least = is_less(states, length, i, least) ? i : least;
  uint64_t key = length;
  for (uint32_t i = 0; i < length; i++)
    key = hash_mix(key * 31 + states[(least + i) % length] + 1);
  return key;
}

/* Ends a stretch: the next state does not repeat the state `length` before it. */
static bool end_stretch(struct repeats *repeats, uint32_t length)
{
  uint64_t equal = repeats->equal[length], stretch = equal + length, begin = repeats->seen - stretch;
  uint64_t first = repeats->seen - length; /* begin of the last period; the ring has all of it */
  struct repeat found = {.length = length, .copies = stretch / length};
  if (equal < length)
    return true;
  for (uint32_t i = 0; i < length; i++)
    found.states[i] = state_at(repeats, first + (begin + i + length - first % length) % length);
  if (is_shorter(found.states, length))
    return true;
  uint64_t key = key_of(found.states, length), *known = hash_find(&repeats->of, key);
  if (known)
    repeats->list.items[*known].copies += found.copies;
  else if (repeats->list.count < REPEATS_MOST)
    return hash_add(&repeats->of, key, repeats->list.count) && vector_push(&repeats->list, found);
  return true;
}

bool repeats_add(struct repeats *repeats, uint32_t state)
{
  uint64_t most = repeats->seen < REPEATS_LONGEST ? repeats->seen : REPEATS_LONGEST;
  for (uint32_t length = 1; length <= most; length++) {
    if (state_at(repeats, repeats->seen - length) == state) {
      repeats->equal[length]++;
    } else {
      if (length > 1 && repeats->equal[length] >= length && !end_stretch(repeats, length))
        return false;
      repeats->equal[length] = 0;
    }
  }
  repeats->ring[repeats->seen++ % REPEATS_LONGEST] = state;
  return true;
}

static int compare(const void *a, const void *b)
{
  const struct repeat *left = a, *right = b;
  uint64_t of_left = left->copies * left->length, of_right = right->copies * right->length;
  if (of_left != of_right)
    return of_left < of_right ? 1 : -1;
  if (left->length != right->length)
    return left->length < right->length ? -1 : 1;
  return memcmp(left->states, right->states, left->length * sizeof *left->states);
}

bool repeats_end(struct repeats *repeats)
{
  bool good = true;
  for (uint32_t length = 2; length <= REPEATS_LONGEST && good; length++)
    good = end_stretch(repeats, length);
  if (repeats->list.count > 0)
    qsort(repeats->list.items, repeats->list.count, sizeof *repeats->list.items, compare);
  hash_free(&repeats->of);
  return good;
}

void repeats_free(struct repeats *repeats)
{
  vector_free(&repeats->list);
  hash_free(&repeats->of);
}

#define LEAST_PART   0.01 /* of records or time: a smaller part is not worth a step */
#define LEAST_CYCLES 8    /* intervals that a statement on regularity needs */
#define MOST_SPREAD  0.5  /* deviation / mean of a state that comes back regularly */

/* Begins of a state. */
struct recurrence {
  uint64_t last, count; /* begin; intervals */
  double mean, squares; /* Welford's */
};

struct reading {
  struct pes_state_totals totals;
  struct repeats repeats;
  VECTOR(struct recurrence) recurrences; /* by state; last: UINT64_MAX where it has not begun */
};

static bool add_recurrence(struct reading *reading, const struct pes_record *record)
{
  while (reading->recurrences.count <= record->state)
    if (!vector_push(&reading->recurrences, ((struct recurrence){.last = UINT64_MAX})))
      return false;
  struct recurrence *recurrence = &reading->recurrences.items[record->state];
  if (recurrence->last != UINT64_MAX) {
    double interval = (double)(record->entry - recurrence->last), off = interval - recurrence->mean;
    recurrence->mean += off / (double)++recurrence->count;
    recurrence->squares += off * (interval - recurrence->mean);
  }
  recurrence->last = record->entry;
  return true;
}

static bool add_batch(struct reading *reading, const struct pes_stream *stream, const struct pes_record *records,
                      size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!add_recurrence(reading, &records[i]) || !repeats_add(&reading->repeats, records[i].state))
      return false;
  return pes_state_totals_add(&reading->totals, stream, records, count);
}

static bool read_all(struct reading *reading, struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH];
  size_t count;
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    if (!add_batch(reading, stream, records, count))
      return error_set(error, "out of memory");
  } while (count > 0);
  pes_state_totals_end(&reading->totals, &stream->end);
  return repeats_end(&reading->repeats) || error_set(error, "out of memory");
}

static void choose_patterns(const struct reading *reading, struct suggestions *into)
{
  const struct repeats *repeats = &reading->repeats;
  for (size_t i = 0; i < repeats->list.count && into->pattern_count < SUGGEST_PATTERNS; i++) {
    const struct repeat *repeat = &repeats->list.items[i];
    if ((double)(repeat->copies * repeat->length) >= LEAST_PART * (double)into->records)
      into->patterns[into->pattern_count++] = *repeat;
  }
}

static int compare_times(const void *a, const void *b)
{
  const struct pes_state_total *left = a, *right = b;
  return (left->time < right->time) - (left->time > right->time);
}

/* Returns the states that occur, by descending time. NULL: out of memory. */
static struct pes_state_total *sorted(const struct reading *reading, uint64_t *count)
{
  struct pes_state_total *list = malloc((reading->totals.states.count + 1) * sizeof *list);
  *count = 0;
  for (size_t i = 0; list && i < reading->totals.states.count; i++)
    if (reading->totals.states.items[i].count > 0)
      list[(*count)++] = reading->totals.states.items[i];
  if (list && *count > 0)
    qsort(list, *count, sizeof *list, compare_times);
  return list;
}

/*
 * Returns the number of states before the bend of the curve of sums; 0: there is none. The bend is its farthest point
 * above the line from the first state to the last.
 */
static uint64_t bend_of(const struct pes_state_total *list, uint64_t count, uint64_t duration)
{
  uint64_t sum = 0, bend = 0;
  double farthest = 0;
  for (uint64_t kept = 1; kept < count; kept++) {
    sum += list[kept - 1].time;
    double above = (double)sum / (double)duration - (double)kept / (double)count;
    if (list[kept].time < list[kept - 1].time && above > farthest) {
      farthest = above;
      bend = kept;
    }
  }
  return bend;
}

/* Writes a short threshold that filters states of `below` ticks and keeps states of `from`. */
static void threshold_between(uint64_t below, uint64_t from, uint64_t duration, char text[32])
{
  double low = 100 * (double)below / (double)duration, high = 100 * (double)from / (double)duration;
  for (int digits = 1; digits <= 4; digits++) {
    double unit = pow(10, floor(log10(high)) - digits + 1), value = floor(high / unit) * unit;
    if (value > low * (1 + 1e-9) && value < high * (1 - 1e-9)) {
      snprintf(text, 32, "%.*f%%", (int)fmax(0, digits - 1 - floor(log10(high))), value);
      return;
    }
  }
  snprintf(text, 32, "%" PRIu64 "ticks", from);
}

/*
 * Adds a threshold that keeps `kept` states, unless there is none or an earlier one filters as many. NULL: not added.
 */
static struct suggest_filter *add_filter(struct suggestions *into, const struct pes_state_total *list, uint64_t count,
                                         uint64_t kept)
{
  uint64_t before = into->filter_count > 0 ? into->filters[into->filter_count - 1].states : 0;
  if (kept == 0 || count - kept <= before)
    return NULL;
  struct suggest_filter *filter = &into->filters[into->filter_count++];
  filter->states = count - kept;
  for (uint64_t i = kept; i < count; i++) {
    filter->records += list[i].count;
    filter->time += list[i].time;
  }
  return filter;
}

static void add_bend(struct suggestions *into, const struct pes_state_total *list, uint64_t count, uint64_t bend)
{
  struct suggest_filter *filter = add_filter(into, list, count, bend);
  if (!filter)
    return;
  filter->is_bend = true;
  threshold_between(list[bend].time, list[bend - 1].time, into->duration, filter->threshold);
}

/* The bend comes before the first threshold that keeps as many states or fewer. */
static void choose_filters(const struct pes_state_total *list, uint64_t count, struct suggestions *into)
{
  static const struct {
    const char *text;
    double part;
  } thresholds[] = {{"0.001%", 1e-5}, {"0.01%", 1e-4}, {"0.1%", 1e-3}, {"1%", 1e-2}, {"10%", 1e-1}};
  if (into->duration == 0)
    return;
  uint64_t bend = bend_of(list, count, into->duration);
  for (size_t i = 0; i < COUNT_OF(thresholds); i++) {
    uint64_t kept = 0;
    while (kept < count && (double)list[kept].time >= thresholds[i].part * (double)into->duration)
      kept++;
    if (bend >= kept) {
      add_bend(into, list, count, bend);
      bend = 0;
    }
    struct suggest_filter *filter = add_filter(into, list, count, kept);
    if (filter)
      snprintf(filter->threshold, sizeof filter->threshold, "%s", thresholds[i].text);
  }
  add_bend(into, list, count, bend);
}

static bool is_better(const struct suggest_cycle *cycle, const struct suggest_cycle *than)
{
  double left = cycle->deviation / cycle->mean, right = than->deviation / than->mean;
  return left != right ? left < right : cycle->time > than->time;
}

static void choose_cycles(const struct reading *reading, struct suggestions *into)
{
  for (size_t i = 0; i < reading->recurrences.count; i++) {
    const struct recurrence *seen = &reading->recurrences.items[i];
    const struct pes_state_total *total = &reading->totals.states.items[i];
    bool is_long = (double)total->time >= LEAST_PART * (double)into->duration;
    if (seen->count < LEAST_CYCLES || !is_long || seen->mean <= 0)
      continue;
    struct suggest_cycle cycle = {(uint32_t)i, seen->count, total->time, seen->mean,
                                  sqrt(seen->squares / (double)seen->count)};
    if (cycle.deviation > MOST_SPREAD * cycle.mean)
      continue;
    size_t at = into->cycle_count < SUGGEST_CYCLES ? into->cycle_count++ : SUGGEST_CYCLES;
    while (at > 0 && is_better(&cycle, &into->cycles[at - 1])) {
      if (at < SUGGEST_CYCLES)
        into->cycles[at] = into->cycles[at - 1];
      at--;
    }
    if (at < SUGGEST_CYCLES)
      into->cycles[at] = cycle;
  }
}

bool suggest(struct pes_stream *stream, struct suggestions *suggestions, struct error *error)
{
  struct reading reading = {0};
  *suggestions = (struct suggestions){0};
  bool good = read_all(&reading, stream, error);
  struct pes_state_total *list = good ? sorted(&reading, &suggestions->states) : NULL;
  if (good && !list)
    good = error_set(error, "out of memory");
  if (good) {
    suggestions->records = reading.totals.records;
    suggestions->duration = reading.totals.duration;
    choose_patterns(&reading, suggestions);
    choose_filters(list, suggestions->states, suggestions);
    choose_cycles(&reading, suggestions);
  }
  free(list);
  pes_state_totals_free(&reading.totals);
  repeats_free(&reading.repeats);
  vector_free(&reading.recurrences);
  return good;
}
