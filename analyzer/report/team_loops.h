/* Private to report/: the executions of loops of one team that are not over. */
#ifndef HEDDLE_ANALYZER_REPORT_TEAM_LOOPS_H
#define HEDDLE_ANALYZER_REPORT_TEAM_LOOPS_H

#include "analyzer/report/chunk_maps.h"

#define TEAM_LOOPS_MAX 256 /* at a time: so far threads may be ahead of each other (nowait) */

/* The members of a team meet the same loops in the same order: the n-th of one is the n-th of all. */
struct team_loop {
  uint32_t ordinal;
  uint32_t region;
  uint32_t done; /* members */
  struct chunk_map map;
};

struct team_loops {
  struct team_loop *list; /* TEAM_LOOPS_MAX; the one of ordinal n is at n % TEAM_LOOPS_MAX */
};

/* The execution, which may be a new one; whatever had its place is over, and kept if it is the longest of its loop.
 * NULL: no memory, or (*other) the members do not agree which loop it is. */
struct team_loop *team_loops_get(struct team_loops *loops, uint32_t ordinal, uint32_t region, uint64_t time,
                                 struct chunk_map *longest, bool *other);
/* It is over. */
void team_loop_end(struct team_loop *loop, struct chunk_map *longest);
/* All are over. */
void team_loops_end(struct team_loops *loops, struct chunk_map *longest);
void team_loops_free(struct team_loops *loops);

#endif
