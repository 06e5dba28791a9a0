/* Private to why/: the tree as it grows. */
#ifndef HEDDLE_ANALYZER_WHY_TREE_H
#define HEDDLE_ANALYZER_WHY_TREE_H

#include "analyzer/why/nodes.h"
#include "analyzer/why/windows.h"

struct tree {
  const struct findings_of *of;
  const struct findings *findings;
  struct windows windows;
  struct why *why;
};

/* Adds a node with a text, in the order of the tree. False: no memory. */
__attribute__((format(printf, 3, 4))) bool tree_add(struct tree *tree, const struct why_node *node, const char *format,
                                                    ...);

/* The verdict on a figure, with its interval. */
enum why_verdict tree_verdict(const struct tree *tree, double low, double percent, double high);

/* Whether a better schedule of a loop would hand out more iterations at a time than the recorded one. */
bool tree_has_small_chunks(const struct tree *tree, uint32_t region);

/* Ticks in percent of the run, at most 100. */
double tree_percent(const struct tree *tree, double ticks);

/* Adds the children of a true kind's finding. `place` is its node. False: no memory. */
bool refine(struct tree *tree, const struct why_node *place);

/* Adds all kinds, with what is below them. False: no memory. */
bool kinds_add(struct tree *tree);

#endif
