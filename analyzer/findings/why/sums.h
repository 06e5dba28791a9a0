/*
 * Search with sums alone: the sums of a profile, or the sums between two readings of a running process. Sums lack the
 * order in time and the threads that waited for each other. Some findings may therefore as well be of another kind.
 * This makes their kinds likely at most, and other kinds are unknown.
 *
 * What could be won at a lock or a barrier is the mean wait of the threads that live for half of the time. At a
 * barrier, the waiting time of all of them is `waiting` (or the pieces of work are small), the rest `imbalance`.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_SUMS_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_SUMS_H

#include "analyzer/findings/why/nodes.h"
#include "analyzer/live/profile/profile.h"

/*
 * Certainty of a run's tree, from equal searches in parts of the run. The differences between the parts give an
 * interval of a node's figure (Student's t), and the interval gives the node's verdict.
 */

/* Number of times that a search may check its certainty, and go on if it is too low. With all these checks together, an
 * interval misses the figure in 5 % of all cases. */
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

/* What the kernel says of a thread; ticks. */
struct why_task {
  bool known;
  uint64_t on;     /* on a processor */
  uint64_t queued; /* able to run, without a processor */
};

struct why_sums {
  const struct trace *trace;
  const struct profiled *profile;
  const struct why_task *tasks; /* one a location, since the profile's begin; NULL: nothing is known */
  bool archive;                 /* the trace is an archive, which says what was not recorded */
  const char *orders;           /* how to find out what needs an order of events: "heddle why PID" */
};

/* False: no memory. findings_free() and why_free() in any case; the tree has pointers into the findings. */
bool why_of_sums(const struct why_sums *sums, double threshold, struct findings *findings, struct why *why);

#endif
