#include "analyzer/findings/why/sure.h"

#include "analyzer/findings/why/tree.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Student's t with that many degrees of freedom or more: |T| is larger with probability 5 % / WHY_LOOKS. */
static double quantile(size_t freedom)
{
  static const struct {
    size_t freedom;
    double t;
  } table[] = {{7, 2.841}, {8, 2.752}, {10, 2.634}, {12, 2.560}, {15, 2.490}, {20, 2.423}, {31, 2.356}};
  size_t at = COUNT_OF(table) - 1;
  while (at > 0 && table[at].freedom > freedom)
    at--;
  return table[at].t;
}

static bool is_same(const struct why_node *left, const struct why_node *right)
{
  return left->aspect == right->aspect && strcmp(left->key, right->key) == 0 &&
         (left->aspect != WHY_WHERE || left->finding->region == right->finding->region);
}

/* The figure of a node in a part. False: the part has no figure for such hypotheses. A place that is not in the part's
 * tree lost next to nothing there. */
static bool figure_in(const struct why *part, const struct why_node *node, double *percent)
{
  *percent = 0;
  for (size_t i = 0; i < part->nodes.count; i++)
    if (is_same(&part->nodes.items[i], node)) {
      *percent = part->nodes.items[i].percent;
      return part->nodes.items[i].measured;
    }
  return node->aspect == WHY_WHERE;
}

/* Half of the interval of the mean; negative: there is none. */
static double half_width(const struct why_node *node, const struct why *parts, size_t count)
{
  double sum = 0, squares = 0, percent;
  for (size_t i = 0; i < count; i++) {
    if (!figure_in(&parts[i], node, &percent))
      return -1;
    sum += percent;
    squares += percent * percent;
  }
  double n = (double)count, variance = (squares - sum * sum / n) / (n - 1);
  return quantile(count - 1) * sqrt(variance > 0 ? variance / n : 0);
}

static bool widen(struct why *whole, struct why_node *node, double half)
{
  double low = node->percent > half ? node->percent - half : 0, high = node->percent + half;
  node->low = low < node->low ? low : node->low;
  node->high = high < node->high ? node->high : high < 100 ? high : 100;
  bool was_false = node->verdict == WHY_FALSE;
  node->verdict = why_verdict_of(whole->threshold, node->low, node->percent, node->high);
  if (!was_false || node->verdict != WHY_UNKNOWN || node->aspect != WHY_KIND)
    return true;
  char *text;
  if (asprintf(&text, "%s: %.1f %%, but it differs from time to time; watch for longer with --for", node->text,
               node->percent) < 0)
    return false;
  free(node->text);
  node->text = text;
  return true;
}

bool why_join(struct why *whole, const struct why *parts, size_t count)
{
  for (size_t i = 0; i < whole->nodes.count; i++) {
    struct why_node *node = &whole->nodes.items[i];
    bool joins = node->measured && node->verdict != WHY_UNKNOWN && node->aspect <= WHY_WHERE;
    double half = joins ? half_width(node, parts, count) : -1;
    if (half >= 0 && !widen(whole, node, half))
      return false;
  }
  return true;
}

bool why_is_decided(const struct why *why)
{
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    if (node->aspect == WHY_KIND && node->measured && (node->verdict == WHY_UNKNOWN || node->verdict == WHY_LIKELY))
      return false;
  }
  return true;
}
