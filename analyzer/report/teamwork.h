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
 * Finds teamwork in a pass in order of time; its result is a struct teamwork. Memory grows with threads, teams, live
 * tasks and loops, not with events. Merges that of other locations, if all locations of a process are in one of the
 * two.
 */
extern const struct analysis teamwork_analysis;

#endif
