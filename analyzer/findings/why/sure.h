/*
 * How sure the tree of a run is, if parts of the run were searched alike: what the parts say of a node differs, and
 * that gives an interval of the node's figure (Student's t), and this its verdict.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_SURE_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_SURE_H

#include "analyzer/findings/why/nodes.h"

/* How often a search may look whether it is sure, and go on if not: with these looks together, an interval misses the
 * figure in 5 % of all cases. */
#define WHY_LOOKS       2
#define WHY_PARTS_LEAST 8u
#define WHY_PARTS_MOST  16u /* with twice as many at each look */

/*
 * Widens the intervals of the root, kinds and places of `whole` by what `count` parts, WHY_PARTS_LEAST or more, say.
 * False: no memory.
 */
bool why_join(struct why *whole, const struct why *parts, size_t count);

/* True if no kind that has a figure is undecided. */
bool why_is_decided(const struct why *why);

#endif
