/*
 * Private to schedule/: puts the shares of all locations together to executions of loops. Shares come in order of time.
 * A thread joins the oldest execution of a team that it is not in yet and that nobody has left before it came; in a
 * team, the k-th time a member meets a loop belongs to the k-th execution of it. Only unfinished executions are in
 * memory, and where threads are missing, so that they never finish, only the newest of each process.
 */
#ifndef HEDDLE_ANALYZER_SCHEDULE_LOOP_MATCHER_H
#define HEDDLE_ANALYZER_SCHEDULE_LOOP_MATCHER_H

#include "analyzer/schedule/loop_watcher.h"
#include "analyzer/schedule/record.h"

struct loop_matcher;

/* `records`: one a region, to add up in. They and the trace outlive the matcher. NULL: no memory. */
struct loop_matcher *loop_matcher_create(const struct trace *trace, struct loop_record *records);
void loop_matcher_destroy(struct loop_matcher *matcher);

/* Takes the next share of a location. False: no memory. */
bool loop_matcher_take(struct loop_matcher *matcher, uint32_t location, const struct share *share);

/* What is unfinished is incomplete. */
void loop_matcher_finish(struct loop_matcher *matcher);

#endif
