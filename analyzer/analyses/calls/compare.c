#include "analyzer/analyses/calls/compare.h"

#include "analyzer/analyses/calls/share.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* A code of the first side, which waits for its counterpart. */
struct waiting {
  struct hash_link link;
  uint32_t code;
};

static const char *base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static const struct samples_function *function_of(const struct calls_side *side, uint32_t code)
{
  const struct calls_tree *tree = side->figures->tree;
  return &tree->samples->functions[tree->codes[code].function];
}

static uint64_t key_of(const struct calls_side *side, uint32_t code)
{
  const struct samples_function *function = function_of(side, code);
  const struct calls_code *of = &side->figures->tree->codes[code];
  uint64_t hash = hash_text(hash_text(of->line, function->name), base_of(function->module));
  return hash_text(hash, base_of(of->file));
}

static bool are_same(const struct calls_side sides[2], uint32_t first, uint32_t second)
{
  const struct samples_function *a = function_of(&sides[0], first), *b = function_of(&sides[1], second);
  const struct calls_code *in_a = &sides[0].figures->tree->codes[first], *in_b = &sides[1].figures->tree->codes[second];
  return strcmp(a->name, b->name) == 0 && strcmp(base_of(a->module), base_of(b->module)) == 0 &&
         in_a->line == in_b->line && strcmp(base_of(in_a->file), base_of(in_b->file)) == 0;
}

static struct calls_change change_of(const struct calls_side sides[2], wide_total first, wide_total second)
{
  double a = (double)first, b = (double)second;
  double variance = fmax(a, 1) * sides[0].unit * sides[0].unit + fmax(b, 1) * sides[1].unit * sides[1].unit;
  struct calls_change change = {b * sides[1].unit - a * sides[0].unit, CALLS_QUANTILE * sqrt(variance), false};
  change.beyond_chance = fabs(change.more) > change.half_width;
  return change;
}

static bool compare_add(struct calls_differences *differences, const struct calls_side sides[2], uint32_t first,
                        uint32_t second)
{
  static const struct calls_flat nothing = {0};
  const struct calls_flat *a = first == TRACE_NONE ? &nothing : &sides[0].figures->codes[first];
  const struct calls_flat *b = second == TRACE_NONE ? &nothing : &sides[1].figures->codes[second];
  if (!array_make_room(differences->list, differences->count))
    return false;
  differences->list[differences->count++] = (struct calls_difference){
      {first, second}, change_of(sides, a->self, b->self), change_of(sides, a->inclusive, b->inclusive)};
  return true;
}

/* Functions of one name and module are matched in the order of their definition. */
static uint32_t take_counterpart(struct hash *chains, const struct calls_side sides[2], uint32_t second)
{
  uint64_t key = key_of(&sides[1], second);
  struct hash_link *found = NULL;
  for (struct hash_link *link = hash_chain_first(chains, key); link; link = link->next)
    if (are_same(sides, ((struct waiting *)link)->code, second))
      found = link;
  if (!found)
    return TRACE_NONE;
  hash_chain_remove(chains, key, found);
  uint32_t code = ((struct waiting *)found)->code;
  ((struct waiting *)found)->code = TRACE_NONE;
  return code;
}

static int compare_functions(const void *of_a, const void *of_b)
{
  const struct calls_difference *a = of_a, *b = of_b;
  double self_a = fabs(a->self.more), self_b = fabs(b->self.more);
  double all_a = fabs(a->inclusive.more), all_b = fabs(b->inclusive.more);
  if (self_a != self_b)
    return self_a < self_b ? 1 : -1;
  if (all_a != all_b)
    return all_a < all_b ? 1 : -1;
  if (a->code[0] != b->code[0])
    return a->code[0] < b->code[0] ? -1 : 1;
  return (a->code[1] > b->code[1]) - (a->code[1] < b->code[1]);
}

bool calls_compare(const struct calls_side sides[2], struct calls_differences *differences)
{
  uint32_t counts[] = {sides[0].figures->tree->code_count, sides[1].figures->tree->code_count};
  struct waiting *waiting = calloc((size_t)counts[0] + 1, sizeof *waiting);
  struct hash chains = {0};
  bool good = waiting != NULL;
  *differences = (struct calls_differences){0};
  for (uint32_t i = 0; good && i < counts[0]; i++) {
    waiting[i].code = sides[0].figures->codes[i].inclusive > 0 ? i : TRACE_NONE;
    good = waiting[i].code == TRACE_NONE || hash_chain_add(&chains, key_of(&sides[0], i), &waiting[i].link);
  }
  for (uint32_t i = 0; good && i < counts[1]; i++)
    if (sides[1].figures->codes[i].inclusive > 0)
      good = compare_add(differences, sides, take_counterpart(&chains, sides, i), i);
  for (uint32_t i = 0; good && i < counts[0]; i++)
    if (waiting[i].code != TRACE_NONE)
      good = compare_add(differences, sides, i, TRACE_NONE);
  if (differences->count > 0)
    qsort(differences->list, differences->count, sizeof *differences->list, compare_functions);
  hash_free(&chains);
  free(waiting);
  return good;
}
