/*
 * Who woke whom: each place that waits, with the threads and source lines that ended its waits; and the critical path
 * of each process. A wait has a waker if the trace has the action that ended it (docs/heddle-waits.1.md). An ordered
 * subscriber: memory depends on threads, places, open waits and live tasks, never on events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_WAKERS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_WAKERS_H

#include "analyzer/analyses/waits/listener.h"
#include "analyzer/analyses/waits/results.h"
#include "analyzer/trace/pass/pass.h"

struct wakers;

/* NULL: an error. */
struct wakers *wakers_begin(const struct trace *trace, struct error *error);
const struct subscriber *wakers_subscriber(const struct wakers *wakers);
/* Frees `wakers`; waits_free() and critical_paths_free() in any case. False: an error. */
bool wakers_end(struct wakers *wakers, struct waits *waits, struct critical_paths *paths, struct error *error);
void wakers_drop(struct wakers *wakers); /* after an error in between; NULL is allowed */
/* NULL: none. It outlives `wakers`. */
void wakers_listen(struct wakers *wakers, const struct wakers_listener *listener);
/* All of this in a pass of its own. False: an error; the results are to be freed in any case, and then empty. */
bool wakers_find(const struct trace *trace, struct pool *pool, struct waits *waits, struct critical_paths *paths,
                 struct error *error);
void waits_free(struct waits *waits);
void critical_paths_free(struct critical_paths *paths);

#endif
