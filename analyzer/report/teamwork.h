/*
 * What threads do because of each other, found in the order of time: arrows from forks, to joins and from the creation
 * of tasks to where they are executed; and the chunks of each loop's longest execution.
 */
#ifndef HEDDLE_ANALYZER_REPORT_TEAMWORK_H
#define HEDDLE_ANALYZER_REPORT_TEAMWORK_H

#include "analyzer/report/arrows.h"
#include "analyzer/report/chunk_maps.h"
#include "analyzer/trace/definitions.h"

struct teamwork {
  struct arrows arrows;     /* of locks come from elsewhere */
  struct chunk_map *chunks; /* one a region; empty where there are none */
  uint32_t regions;
};

/*
 * Reads the whole trace, all locations at once. Memory grows with threads, teams and loops, not with events. False: an
 * error. Free with teamwork_free(), also after an error.
 */
bool teamwork_find(const struct trace *trace, struct teamwork *teamwork, struct trace_error *error);
void teamwork_free(struct teamwork *teamwork);

#endif
