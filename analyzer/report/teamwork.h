/*
 * What threads do because of each other, found in order of time: arrows from forks, to joins, and from the creation of
 * tasks to their first execution (analyzer/trace/edges); and the chunks of each loop's longest execution.
 */
#ifndef HEDDLE_ANALYZER_REPORT_TEAMWORK_H
#define HEDDLE_ANALYZER_REPORT_TEAMWORK_H

#include "analyzer/report/arrows.h"
#include "analyzer/report/chunk_maps.h"
#include "analyzer/trace/pass/pass.h"

struct teamwork {
  struct arrows arrows;     /* without those of locks, which come from locks/ */
  struct chunk_map *chunks; /* one a region; empty: it has none */
  uint32_t regions;
};

/*
 * Finds teamwork in a pass in order of time (pass.h); free it with teamwork_free(), also after an error. Memory grows
 * with threads, teams, live tasks and loops, not with events. NULL: no memory. After the pass: teamwork_end(), or
 * teamwork_drop() where it failed.
 */
struct teamwork_finder;
struct teamwork_finder *teamwork_begin(const struct trace *trace, struct teamwork *teamwork, struct error *error);
const struct subscriber *teamwork_subscriber(const struct teamwork_finder *finder);
void teamwork_end(struct teamwork_finder *finder);
void teamwork_drop(struct teamwork_finder *finder);
void teamwork_free(struct teamwork *teamwork);

/*
 * Adds what was found at other locations of the same trace; all locations of a process are in one of the two. `from`
 * can only be freed then. False: no memory.
 */
bool teamwork_merge(struct teamwork *into, struct teamwork *from);

#endif
