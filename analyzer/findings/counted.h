/*
 * Private to findings/: what counters say of a construct whose threads are busy for unequally long.
 *
 * The slowest thread's busy time is compared with the mean, if it is longer by a tenth or more, and so are its
 * instructions: up to a quarter of that difference they are the same, from three quarters on they explain it; between
 * these nothing is said. What several states share counts as all theirs or nobody's, whatever is worse for the
 * sentence. Counts that are scaled up, or of too little of the busy time, say nothing.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_COUNTED_H
#define HEDDLE_ANALYZER_FINDINGS_COUNTED_H

#include "analyzer/findings/builder.h"

#define COUNTED_SIZE 192

/* "; the slowest is busy 50 % longer ..."; "": the counters don't say, or there are none. Returns what they say:
 * CAUSE_WORK, CAUSE_SPEED or CAUSE_UNKNOWN. */
enum finding_cause counted_text(const struct builder *builder, uint32_t region, char text[COUNTED_SIZE]);

#endif
