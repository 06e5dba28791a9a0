/*
 * Private to schedule/: puts the shares of all locations together to executions of loops. Shares must come in order of
 * time. A thread joins the oldest execution of a team that it is not in and that no member has left. Within a team, the
 * k-th time that a member meets a loop belongs to the k-th execution of the loop. Only unfinished executions are in
 * memory; of those that never finish, because events of threads are lost, only the newest of each process.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_MATCHER_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_MATCHER_H

#include "analyzer/analyses/loops/loop_watcher.h"
#include "analyzer/analyses/loops/record.h"

struct loop_matcher;

/* `records`, one a region, get the sums. They and the trace must outlive the matcher. NULL: out of memory. */
struct loop_matcher *loop_matcher_create(const struct trace *trace, struct loop_record *records);
void loop_matcher_destroy(struct loop_matcher *matcher);

/* Takes the next share of a location. False: out of memory. */
bool loop_matcher_take(struct loop_matcher *matcher, uint32_t location, const struct share *share);

/* After the last share: unfinished executions count as incomplete. */
void loop_matcher_finish(struct loop_matcher *matcher);

#endif
