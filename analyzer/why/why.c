#include "analyzer/why/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool tree_add(struct tree *tree, const struct why_node *node, const char *format, ...)
{
  struct why_node added = *node;
  va_list list;
  va_start(list, format);
  int length = vasprintf(&added.text, format, list);
  va_end(list);
  if (length < 0)
    return false;
  if (vector_push(&tree->why->nodes, added))
    return true;
  free(added.text);
  return false;
}

enum why_verdict tree_verdict(const struct tree *tree, double low, double percent, double high)
{
  double threshold = tree->why->threshold;
  return low >= threshold ? WHY_TRUE : high < threshold ? WHY_FALSE : percent >= threshold ? WHY_LIKELY : WHY_UNKNOWN;
}

bool tree_is_uneven(const struct tree *tree, uint32_t region)
{
  const struct imbalance_parts *parts = &tree->of->imbalance->constructs[region].parts;
  return fine_total_ticks(parts->uneven) >= fine_total_ticks(parts->overhead);
}

double tree_percent(const struct tree *tree, double ticks)
{
  double run = tree->findings->run;
  double percent = run > 0 ? 100 * ticks / run : 0;
  return percent < 100 ? percent : 100;
}

/* The part of all threads' measured time that is not the program's work: exact. */
static bool add_root(struct tree *tree)
{
  const struct states_sums *sums = tree->of->sums;
  double measured = 0, work = 0;
  for (uint32_t i = 0; i < sums->locations; i++) {
    measured += (double)states_measured(sums->threads[i].ticks);
    work += (double)sums->threads[i].ticks[STATE_RUN];
  }
  struct why_node root = {.aspect = WHY_ROOT, .key = "threads", .measured = measured > 0};
  root.percent = measured > 0 ? 100 * (measured - work) / measured : 0;
  root.low = root.high = root.percent;
  root.verdict = root.measured ? tree_verdict(tree, root.low, root.percent, root.high) : WHY_UNKNOWN;
  return tree_add(tree, &root, "the threads could do more of the program's work");
}

bool why_end(struct why_taker *taker, const struct findings_of *of, const struct findings *findings, double threshold,
             struct why *why)
{
  struct tree tree = {.of = of, .findings = findings, .why = why};
  *why = (struct why){.threshold = threshold};
  windows_end(taker, &tree.windows);
  bool good = add_root(&tree) && kinds_add(&tree);
  windows_free(&tree.windows);
  return good;
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
  static const char *const names[] = {"root", "kind", "where", "who", "reason", "when"};
  return names[aspect];
}
