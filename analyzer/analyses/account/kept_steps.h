/*
 * Steps of the account's first pass, kept for the second one in a few bytes each: so the trace is decoded once. Few
 * steps stay in memory, more lie on disk. Memory depends on locations and on the activities that occur.
 *
 * One thread. Steps come back in the order in which they came, as they were; texts of steps belong to the trace.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_KEPT_STEPS_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_KEPT_STEPS_H

#include "analyzer/analyses/account/activity.h"

struct kept_steps;
/* NULL: no memory. */
struct kept_steps *kept_steps_create(const struct trace *trace);
void kept_steps_free(struct kept_steps *steps); /* NULL is allowed */

/* Keeps a step. A failure is noted: without memory or room on the disk, kept_steps_whole() is false from then on. */
void kept_steps_put(struct kept_steps *steps, uint32_t location, const struct account_step *step);
/* True if all steps so far are kept. */
bool kept_steps_whole(const struct kept_steps *steps);

/* Hands all steps to a sink. False: the sink failed, or an error, which is set. */
bool kept_steps_replay(struct kept_steps *steps, activity_sink *sink, void *context, struct error *error);

#endif
