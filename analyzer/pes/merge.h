/* Private to pes/: the changes of all locations in order of time; of equal times, in order of locations. */
#ifndef HEDDLE_ANALYZER_PES_MERGE_H
#define HEDDLE_ANALYZER_PES_MERGE_H

#include "analyzer/pes/lane.h"

struct merge;

/* NULL: an error; `error` is where it reports, also later. */
struct merge *merge_open(const struct trace *trace, enum pes_component_kind kind, struct trace_error *error);
void merge_close(struct merge *merge);

/* The change that is next, which stays, and its location; NULL at the end. */
const struct lane_change *merge_peek(const struct merge *merge, uint32_t *location);

/* Goes on to the one behind it. False: an error. */
bool merge_advance(struct merge *merge);

#endif
