#include "analyzer/findings/scale/scale.h"

#include <stdio.h>

/* Bandwidth that threads share makes work at most as many times longer as there are threads; what is measured varies.
 */
#define BEYOND_BANDWIDTH 1.1

static int compare_runs(const void *of_a, const void *of_b)
{
  const struct scale_run *a = *(const struct scale_run *const *)of_a, *b = *(const struct scale_run *const *)of_b;
  if (a->threads != b->threads)
    return a->threads < b->threads ? -1 : 1;
  return (a->duration > b->duration) - (a->duration < b->duration);
}

static bool add_steps(const struct scale_runs *runs, struct scale *scale)
{
  size_t count = runs->list.count;
  const struct scale_run **order = malloc((count + 1) * sizeof *order);
  bool good = order != NULL;
  for (size_t i = 0; good && i < count; i++)
    order[i] = &runs->list.items[i];
  if (good)
    qsort(order, count, sizeof *order, compare_runs);
  for (size_t i = 0, end; good && i < count; i = end) {
    for (end = i + 1; end < count && order[end]->threads == order[i]->threads;)
      end++;
    struct scale_step step = {.run = order[i + (end - i - 1) / 2], .runs = (unsigned)(end - i)};
    good = vector_push(&scale->steps, step);
  }
  free(order);
  return good;
}

static void fill_step(const struct scale_run *first, struct scale_step *step)
{
  const struct scale_run *run = step->run;
  double before = first->seconds[ACCOUNT_WORK], after = run->seconds[ACCOUNT_WORK], all = 0;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    all += run->seconds[i];
  step->speedup = run->duration > 0 ? first->duration / run->duration : 1;
  step->work = after > 0 ? 100 * before / after : 100;
  step->overall = run->efficiency.parallel * step->work / 100;
  step->longer = all > 0 && after > before ? 100 * (after - before) / all : 0;
}

static bool same_text(const char *a, const char *b)
{
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_place(const struct scale_place *a, const struct scale_place *b)
{
  return a->line == b->line && same_text(a->name, b->name) && same_text(a->file, b->file);
}

static int compare_growths(const void *of_a, const void *of_b)
{
  const struct scale_growth *a = of_a, *b = of_b;
  double more_a = a->after - a->before, more_b = b->after - b->before;
  return (more_a < more_b) - (more_a > more_b);
}

static bool add_growths(struct scale *scale, const struct scale_run *first, const struct scale_run *last)
{
  for (size_t i = 0; i < last->places.count; i++) {
    struct scale_growth growth = {.place = &last->places.items[i]};
    bool known = false;
    for (size_t j = 0; j < scale->growths.count; j++)
      known |= same_place(scale->growths.items[j].place, growth.place);
    for (size_t j = i; j < last->places.count; j++)
      growth.after += same_place(&last->places.items[j], growth.place) ? last->places.items[j].work : 0;
    for (size_t j = 0; j < first->places.count; j++)
      growth.before += same_place(&first->places.items[j], growth.place) ? first->places.items[j].work : 0;
    if (!known && !vector_push(&scale->growths, growth))
      return false;
  }
  if (scale->growths.count > 0)
    qsort(scale->growths.items, scale->growths.count, sizeof *scale->growths.items, compare_growths);
  return true;
}

/* Whether longer work costs more than any other cause. */
static bool memory_is_first(const struct scale_step *last)
{
  double all = 0, most = 0;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++) {
    bool can_be = i != ACCOUNT_WORK && i != ACCOUNT_OUTSIDE && i != ACCOUNT_UNKNOWN && i != ACCOUNT_MEASUREMENT;
    all += last->run->seconds[i];
    most = can_be && last->run->seconds[i] > most ? last->run->seconds[i] : most;
  }
  return last->longer >= ACCOUNT_THRESHOLD && all > 0 && last->longer > 100 * most / all;
}

bool scale_compare(const struct scale_runs *runs, struct scale *scale, struct error *error)
{
  *scale = (struct scale){.memory = false};
  if (!add_steps(runs, scale))
    return error_set(error, "out of memory");
  size_t count = scale->steps.count;
  if (count < 2)
    return error_set(error, "all runs have %u threads at most: runs with different numbers of threads are needed",
                     count ? scale->steps.items[0].run->threads : 0);
  const struct scale_run *first = scale->steps.items[0].run, *last = scale->steps.items[count - 1].run;
  for (size_t i = 0; i < count; i++)
    fill_step(first, &scale->steps.items[i]);
  scale->memory = memory_is_first(&scale->steps.items[count - 1]);
  return add_growths(scale, first, last) || error_set(error, "out of memory");
}

void scale_end(struct scale *scale)
{
  vector_free(&scale->steps);
  vector_free(&scale->growths);
}

/* What threads may disturb each other by. */
static const char *reason_of(const struct scale_growth *growth, unsigned times)
{
  if (growth->place->atomic)
    return "Most samples are at an atomic instruction: give each thread a variable of its own, and join them at the "
           "end.";
  if (growth->before > 0 && growth->after > BEYOND_BANDWIDTH * times * growth->before)
    return "Shared bandwidth can't explain so much: threads write into the same cache lines (false sharing), or change "
           "the same variables.";
  return "Threads share the memory's bandwidth or a cache, or they write into the same cache lines.";
}

/* A function that is the place itself, or that the compiler made for a construct, says nothing more. */
static bool names_more(const struct scale_place *place)
{
  return !same_text(place->function, place->name) && place->function[0] != '!';
}

/* "!$omp for @a.c:7 (count, a.c:9)"; the caller frees it. */
static char *place_text(const struct scale_place *place)
{
  const char *name = place->name ? place->name : "code outside of constructs", *slash;
  char *text;
  if (!place->function || !place->at_file)
    return strdup(name);
  slash = strrchr(place->at_file, '/');
  slash = slash ? slash + 1 : place->at_file;
  int length = names_more(place) ? asprintf(&text, "%s (%s, %s:%u)", name, place->function, slash, place->at_line)
                                 : asprintf(&text, "%s (%s:%u)", name, slash, place->at_line);
  return length < 0 ? NULL : text;
}

static char *memory_sentence(const struct scale *scale)
{
  const struct scale_step *first = scale->steps.items, *last = first + scale->steps.count - 1;
  const struct scale_growth *most = scale->growths.items;
  unsigned times = (last->run->threads + first->run->threads - 1) / first->run->threads;
  char *text, *place = place_text(most->place);
  if (place &&
      asprintf(&text,
               "The same work takes longer with %u threads than with %u, mostly at %s: %.2f s instead of %.2f s. "
               "This is %.1f %% of the time of %u processors. %s",
               last->run->threads, first->run->threads, place, most->after, most->before, last->longer,
               last->run->processors, reason_of(most, times)) < 0)
    text = NULL;
  free(place);
  return place ? text : NULL;
}

char *scale_sentence(const struct scale *scale)
{
  const struct scale_step *last = &scale->steps.items[scale->steps.count - 1];
  char *text;
  if (scale->memory)
    return memory_sentence(scale);
  return asprintf(&text, "With %u threads: %s", last->run->threads, last->run->first) < 0 ? NULL : text;
}
