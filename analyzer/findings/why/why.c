#include "analyzer/findings/why/why.h"

#include "analyzer/findings/why/tree.h"
#include "analyzer/trace/definitions.h"

#include <stdlib.h>
#include <string.h>

bool why_find(const struct analysis_results *of, const struct windows *windows, const struct findings *findings,
              double threshold, struct why *why)
{
  struct tree tree = {.trace = of->trace,
                      .of = of,
                      .windows = *windows,
                      .findings = findings,
                      .account = findings_account(of),
                      .why = why};
  *why = (struct why){.threshold = threshold};
  return tree_add_root(&tree, of->sums) && kinds_of_trace(&tree);
}

void why_free(struct why *why)
{
  for (size_t i = 0; i < why->nodes.count; i++)
    free(why->nodes.items[i].text);
  vector_free(&why->nodes);
}

const char *why_verdict_name(enum why_verdict verdict)
{
  static const char *const names[] = {"true", "likely", "ruled out", "unknown"};
  return names[verdict];
}

const char *why_aspect_name(enum why_aspect aspect)
{
  static const char *const names[] = {"root", "kind", "where", "who", "reason", "when", "elsewhere"};
  return names[aspect];
}

/* The node behind the children of the one at `at`. */
static size_t end_of(const struct why *why, size_t at)
{
  size_t end = at + 1;
  while (end < why->nodes.count && why->nodes.items[end].depth > why->nodes.items[at].depth)
    end++;
  return end;
}

static size_t find_kind(const struct why *why, const char *key)
{
  size_t at = 0;
  while (at < why->nodes.count &&
         (why->nodes.items[at].aspect != WHY_KIND || strcmp(why->nodes.items[at].key, key) != 0))
    at++;
  return at;
}

static bool is_true(const struct why_node *node)
{
  return node->verdict == WHY_TRUE || node->verdict == WHY_LIKELY;
}

/* A place without construct is a thread: the kind is at any place then. */
static bool complete_is_same_place(const struct why_node *left, const struct why_node *right)
{
  const struct finding *a = left->finding, *b = right->finding;
  if (a->region == TRACE_NONE || b->region == TRACE_NONE || b->kind == FINDING_MEASUREMENT)
    return a->kind == b->kind;
  const struct trace_region *one = &left->trace->regions[a->region], *other = &right->trace->regions[b->region];
  return one->line == other->line && strcmp(one->file, other->file) == 0 &&
         (one->line > 0 || strcmp(one->name, other->name) == 0);
}

static bool has_place(const struct why *why, const struct why_node *place)
{
  for (size_t i = 0; i < why->nodes.count; i++)
    if (why->nodes.items[i].aspect == WHY_WHERE && is_true(&why->nodes.items[i]) &&
        complete_is_same_place(&why->nodes.items[i], place))
      return true;
  return false;
}

/* Takes over the figure and verdict of a node. */
static bool take_figure(struct why_node *node, const struct why_node *from)
{
  char *text = strdup(from->text);
  if (!text)
    return false;
  free(node->text);
  node->text = text;
  node->verdict = from->verdict;
  node->measured = from->measured;
  node->percent = from->percent;
  node->low = from->low;
  node->high = from->high;
  return true;
}

/* Inserts copies of the nodes from `first` to before `end` of `from` at `at`. */
static bool insert(struct why *why, size_t at, const struct why *from, size_t first, size_t end)
{
  for (; first < end; first++, at++) {
    struct why_node copy = from->nodes.items[first];
    copy.text = strdup(copy.text);
    if (!copy.text)
      return false;
    if (!vector_push(&why->nodes, copy)) {
      free(copy.text);
      return false;
    }
    struct why_node *items = why->nodes.items;
    memmove(items + at + 1, items + at, (why->nodes.count - 1 - at) * sizeof *items);
    items[at] = copy;
  }
  return true;
}

static void drop_children(struct why *why, size_t at)
{
  size_t end = end_of(why, at);
  struct why_node *items = why->nodes.items;
  for (size_t i = at + 1; i < end; i++)
    free(items[i].text);
  memmove(items + at + 1, items + end, (why->nodes.count - end) * sizeof *items);
  why->nodes.count -= end - at - 1;
}

/* Adds the places of a kind that `why` lacks. */
static bool complete_add_places(struct why *why, const struct why *sums, size_t kind)
{
  const struct why_node *from = &sums->nodes.items[kind];
  for (size_t i = kind + 1, end = end_of(sums, kind); i < end; i = end_of(sums, i)) {
    const struct why_node *place = &sums->nodes.items[i];
    size_t at = find_kind(why, from->key);
    if (!is_true(place) || place->guess || has_place(why, place) || at == why->nodes.count)
      continue;
    struct why_node *to = &why->nodes.items[at];
    if ((!is_true(to) || to->percent < from->percent) && !take_figure(to, from))
      return false;
    if (!insert(why, at + 1, sums, i, end_of(sums, i)))
      return false;
  }
  return true;
}

/* Sums have all of the work outside of constructs. */
static bool take_serial(struct why *why, const struct why *sums)
{
  size_t at = find_kind(why, "serial"), from = find_kind(sums, "serial");
  if (at == why->nodes.count || from == sums->nodes.count || !sums->nodes.items[from].measured)
    return true;
  if (!is_true(&sums->nodes.items[from]))
    drop_children(why, at);
  return take_figure(&why->nodes.items[at], &sums->nodes.items[from]);
}

static int complete_rank_of(const struct why_node *kind)
{
  return is_true(kind) ? 0 : kind->verdict == WHY_FALSE ? 1 : 2;
}

/* The kinds by verdict, then by figure, each with what is below it. */
static bool sort_kinds(struct why *why)
{
  struct why sorted = {.threshold = why->threshold};
  size_t count = why->nodes.count;
  if (count == 0 || !vector_push(&sorted.nodes, why->nodes.items[0]))
    return count == 0;
  bool *taken = calloc(count, sizeof *taken);
  bool good = taken != NULL;
  while (good && sorted.nodes.count < count) {
    size_t best = count;
    for (size_t i = 1; i < count; i = end_of(why, i)) {
      const struct why_node *node = &why->nodes.items[i], *most = best < count ? &why->nodes.items[best] : NULL;
      if (!taken[i] && (!most || complete_rank_of(node) < complete_rank_of(most) ||
                        (complete_rank_of(node) == complete_rank_of(most) && node->percent > most->percent)))
        best = i;
    }
    taken[best] = true;
    for (size_t i = best; good && i < end_of(why, best); i++)
      good = vector_push(&sorted.nodes, why->nodes.items[i]);
  }
  free(taken);
  if (!good) {
    vector_free(&sorted.nodes);
    return false;
  }
  free(why->nodes.items);
  *why = sorted;
  return true;
}

bool why_complete(struct why *why, const struct why *sums)
{
  bool good =
      why->nodes.count > 0 && sums->nodes.count > 0 ? take_figure(&why->nodes.items[0], &sums->nodes.items[0]) : true;
  good = good && take_serial(why, sums);
  for (size_t i = 0; good && i < sums->nodes.count; i++)
    if (sums->nodes.items[i].aspect == WHY_KIND && is_true(&sums->nodes.items[i]))
      good = complete_add_places(why, sums, i);
  return good && sort_kinds(why);
}
