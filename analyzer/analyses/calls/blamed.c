#include "analyzer/analyses/calls/blamed.h"

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

/* Whole ticks in proportion to the samples: those that remain go to the largest remainders, so that the sum is exact.
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
