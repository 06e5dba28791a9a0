/*
 * The file of a process' exact call graphs (common/raw/raw_calls.h), checked: what cannot be true ends a thread's tree.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_CALL_TREES_H
#define HEDDLE_OTF2_CONVERT_SCAN_CALL_TREES_H

#include "base/vector.h"
#include "common/raw/raw_calls.h"

#include <stdbool.h>

/* A part of a thread's tree. */
struct call_segment {
  uint64_t offset; /* of its nodes in the file */
  uint32_t thread, first, used;
  struct raw_calls_segment head;
};

struct call_trees {
  int fd;
  VECTOR(struct call_segment) segments; /* by thread, then by first node */
  uint32_t damaged;                     /* segments that can't be, so far */
};

/* One thread's. The nodes are its own and have parents with smaller numbers; the first is the thread. */
struct call_tree {
  uint32_t thread, count;
  const struct raw_calls_segment *head;
  struct raw_calls_node *nodes;
};

/* Opens the file in a process' directory. False: errno says why; a process without it has no segments. */
bool call_trees_open(struct call_trees *trees, int directory);
void call_trees_close(struct call_trees *trees);

/*
 * Reads the next thread's tree; *at is 0 at first. False: there is none; then *error is 0 or an errno value. The caller
 * frees tree->nodes.
 */
bool call_trees_next(struct call_trees *trees, size_t *at, struct call_tree *tree, int *error);

#endif
