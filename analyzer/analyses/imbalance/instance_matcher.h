/*
 * Puts the pieces of all locations together to instances and adds up finished instances.
 *
 * Pieces must come in order of time. Time alone then determines which instance of a team a thread joins: the oldest
 * instance without this thread that no member has left. So threads whose first regions were not recorded (a ring, lost
 * events) are matched, too. Within a team, the k-th time that a member meets a construct belongs to the k-th instance
 * of the construct. Only unfinished instances are in memory.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_INSTANCE_MATCHER_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_INSTANCE_MATCHER_H

#include "analyzer/analyses/imbalance/constructs.h"
#include "analyzer/analyses/imbalance/follower.h"

struct instance_matcher;

/* Adds up into `imbalance`, whose constructs must be allocated. NULL: out of memory. */
struct instance_matcher *instance_matcher_create(const struct trace *trace, struct imbalance *imbalance,
                                                 struct imbalance_options options);
void instance_matcher_destroy(struct instance_matcher *matcher);

/* Takes the next piece of a location. False: out of memory. */
bool instance_matcher_take(struct instance_matcher *matcher, uint32_t location, const struct piece *piece);

/* Adds up unfinished instances, and hands over the waits. False: out of memory. */
bool instance_matcher_finish(struct instance_matcher *matcher);

#endif
