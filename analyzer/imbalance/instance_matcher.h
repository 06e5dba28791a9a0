/*
 * Private to imbalance/: puts the pieces of all locations together to instances and adds finished instances up.
 *
 * Pieces must come in order of their time. Then the instance of a team that a thread joins is found by time alone: the
 * oldest one it is not in yet and that nobody has left before it came. So threads whose first regions were not
 * recorded (a ring, lost events) are matched right. Inside a team the k-th time a member meets a construct belongs to
 * the k-th instance of it. Only unfinished instances are in memory.
 */
#ifndef HEDDLE_ANALYZER_IMBALANCE_INSTANCE_MATCHER_H
#define HEDDLE_ANALYZER_IMBALANCE_INSTANCE_MATCHER_H

#include "analyzer/imbalance/constructs.h"
#include "analyzer/imbalance/piece.h"

struct instance_matcher;

/* Adds up into `imbalance`, whose constructs exist. NULL: no memory. */
struct instance_matcher *instance_matcher_create(const struct trace *trace, struct imbalance *imbalance,
                                                 bool with_waits);
void instance_matcher_destroy(struct instance_matcher *matcher);

/* Takes the next piece of a location. False: no memory. */
bool instance_matcher_take(struct instance_matcher *matcher, uint32_t location, const struct piece *piece);

/* Adds up what is unfinished, and hands over the waits. False: no memory. */
bool instance_matcher_finish(struct instance_matcher *matcher);

#endif
