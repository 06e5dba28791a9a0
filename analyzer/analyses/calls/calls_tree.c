#include "analyzer/analyses/calls/calls_view.h"
#include "analyzer/analyses/calls/share.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

enum { INDENTED = 40, CALLS_TREE_NAME_SIZE = 4096 }; /* levels; deeper ones are not indented further */

struct nodes {
  VECTOR(uint32_t) list;
};

static int calls_tree_compare(const void *of_a, const void *of_b, void *context)
{
  const struct calls_figures *figures = context;
  uint32_t a = *(const uint32_t *)of_a, b = *(const uint32_t *)of_b;
  if (figures->below[a] != figures->below[b])
    return figures->below[a] > figures->below[b] ? 1 : -1;
  return (a < b) - (a > b);
}

static bool calls_tree_is_shown(const struct calls_view *view, uint32_t node)
{
  double least = view->options->least >= 0 ? view->options->least : view->run->format == PRINT_TEXT ? 1 : 0;
  bool called = view->figures.calls && view->figures.calls[node] > 0;
  return (view->figures.below[node] > 0 || called) &&
         print_percentage(view->figures.below[node], view->figures.all) >= least;
}

/* Puts the children of a node that are shown onto a stack: the one with the most samples is on top. */
static bool add_children(const struct calls_view *view, struct nodes *stack, uint32_t node)
{
  size_t first = stack->list.count;
  for (uint32_t i = view->tree.nodes[node].first_child; i != TRACE_NONE; i = view->tree.nodes[i].next_sibling)
    if (calls_tree_is_shown(view, i) && !vector_push(&stack->list, i))
      return false;
  if (stack->list.count > first)
    qsort_r(stack->list.items + first, stack->list.count - first, sizeof *stack->list.items, calls_tree_compare,
            (void *)&view->figures);
  return true;
}

/* Behind the function: samples and their interval, or exact calls. */
static void put_samples(const struct calls_view *view, uint32_t node, struct print_cell *next)
{
  struct calls_share share = calls_share_of((double)view->figures.below[node], (double)view->figures.all);
  *next++ = calls_amount(view, view->figures.below[node]);
  *next++ = print_real(100 * share.share);
  *next++ = print_real(100 * share.low);
  *next++ = print_real(100 * share.high);
  *next++ = calls_amount(view, view->figures.own[node]);
  *next++ = print_number(view->figures.below[node]);
  *next++ = print_number(view->figures.own[node]);
}

static void calls_tree_put_exact(const struct calls_view *view, uint32_t node, struct print_cell *next)
{
  const struct calls_exact_sums *sums = &view->sums.nodes[node];
  *next++ = print_number(sums->calls);
  *next++ = print_number(view->figures.below[node]);
  *next++ = print_real(print_percentage(view->figures.below[node], view->figures.all));
  *next++ = print_number(sums->self);
  *next++ = print_number(sums->blocked);
  calls_exact_put_extremes(sums, next);
}

static void put_node(const struct calls_view *view, uint32_t node)
{
  char where[CALLS_WHERE_SIZE], name[CALLS_TREE_NAME_SIZE];
  const struct calls_node *of = &view->tree.nodes[node];
  bool text = view->run->format == PRINT_TEXT;
  int indent = !text ? 0 : of->depth - 1 > INDENTED ? 2 * INDENTED : 2 * ((int)of->depth - 1);
  snprintf(name, sizeof name, "%*s%s", indent, "", calls_function_name(view, of->code));
  struct print_cell cells[CALLS_CODE_CELLS + 10], *next = calls_put_code(view, of->code, where, cells);
  cells[0] = print_string(name);
  *next++ = text ? print_none() : print_number(node);
  *next++ = text || of->parent == 0 ? print_none() : print_number(of->parent);
  if (view->archive)
    calls_tree_put_exact(view, node, next);
  else
    put_samples(view, node, next);
  print_row(view->run->print, cells);
}

#define NODE_COLUMNS                                                                                                   \
  {"node", "No.", PRINT_NUMBER, true},                                                                                 \
  {                                                                                                                    \
    "parent", "Parent", PRINT_NUMBER, true                                                                             \
  }

bool calls_put_tree(const struct calls_view *view)
{
  static const struct print_column exact[] = {CALLS_CODE_COLUMNS,
                                              NODE_COLUMNS,
                                              {"calls", "Calls", PRINT_COUNT, false},
                                              {"inclusive", "Inclusive", PRINT_DURATION, false},
                                              {"inclusive_share", "Share", PRINT_PERCENT, false},
                                              {"self", "Self", PRINT_DURATION, false},
                                              {"blocked", "Blocked", PRINT_DURATION, true},
                                              CALLS_EXACT_EXTREMES};
  enum print_type type = calls_amount_type(view);
  const struct print_column columns[] = {CALLS_CODE_COLUMNS,
                                         NODE_COLUMNS,
                                         {"inclusive", "Inclusive", type, false},
                                         {"inclusive_share", "Share", PRINT_PERCENT, false},
                                         {"inclusive_low", "from", PRINT_PERCENT, false},
                                         {"inclusive_high", "to", PRINT_PERCENT, false},
                                         {"self", "Self", type, false},
                                         {"inclusive_samples", "Samples", PRINT_COUNT, false},
                                         {"self_samples", "Self", PRINT_COUNT, false}};
  struct nodes stack = {0};
  bool good = add_children(view, &stack, 0);
  print_table(view->run->print, "tree", NULL, view->archive ? exact : columns,
              view->archive ? COUNT_OF(exact) : COUNT_OF(columns), false);
  while (good && stack.list.count > 0) {
    uint32_t node = stack.list.items[--stack.list.count];
    put_node(view, node);
    good = add_children(view, &stack, node);
  }
  print_table_end(view->run->print);
  vector_free(&stack.list);
  return good;
}
