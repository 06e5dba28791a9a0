/*
 * Waits of Java threads for what they gave to a pool: parks in get(), join(), invokeAll(), of FutureTask,
 * CompletableFuture and ForkJoinTask. Private to tasks/.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_AWAIT_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_AWAIT_H

#include "analyzer/trace/stream.h"

#include <stdbool.h>

enum await_kind {
  AWAIT_NOTHING,   /* it is another wait */
  AWAIT_SUBMITTED, /* for a task whose maker is known */
  AWAIT_FORKED     /* for a fork-join task */
};

/* What a location waits for that enters a region; in_join: it is in a join of a fork-join pool. */
enum await_kind await_kind(const struct trace *trace, const struct trace_event *enter, bool in_join);

#endif
