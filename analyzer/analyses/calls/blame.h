/*
 * Blame: code is not only its own time, but also the waiting that it causes meanwhile. A wait of a thread is blamed on
 * what the thread that ended it worked on during the wait; where that thread waited itself, on the one that it waited
 * for. A worker without work (IDLE) waits for the thread that forks its next team; after its last one, for the thread
 * that forked that one.
 *
 * Constructs have exact ticks. Their functions share them by the samples that were taken meanwhile; if there are none,
 * by all samples of the thread in the construct, else of the process.
 *
 * Nothing is lost: all waiting is blamed, or is not for a reason. An ordered subject: memory depends on threads,
 * constructs and contexts (history.h), never on events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_BLAME_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_BLAME_H

#include "analyzer/analyses/calls/blame_results.h"
#include "analyzer/analyses/calls/figures.h"

struct blame_options {
  const struct samples *samples;
  uint32_t trigger;          /* the samples of this one count; TRACE_NONE: none */
  const struct calls *calls; /* of an analysis of the same pass that ends before this one */
};

/* Finds blame in a pass in order of time. Options: struct blame_options, which are needed; result: struct calls_blame.
 */
extern const struct analysis blame_analysis;

/* Sums and blame in one pass. False: an error. Free both also then. */
bool calls_find_with_blame(const struct trace *trace, const struct samples *samples, uint32_t trigger,
                           struct pool *pool, struct calls *calls, struct calls_blame *blame, struct error *error);

/* Adds ticks by node of a tree; process, location and construct of the selection count. Node 0 gets what no function
 * has. */
void calls_blame_weigh(const struct trace *trace, const struct calls_blame *blame,
                       const struct calls_selection *selection, const struct calls_tree *tree, wide_total *weights);

/* A phrase for people, as "the waker is unknown"; a key for programs. */
const char *calls_unblamed_reason(enum calls_unblamed reason);
const char *calls_unblamed_key(enum calls_unblamed reason);

#endif
