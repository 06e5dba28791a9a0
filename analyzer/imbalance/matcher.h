/*
 * Private to imbalance/: puts the pieces of all locations together to instances and adds finished instances up.
 *
 * Pieces must come in order of their time. Then the instance of a team that a thread joins is found by time alone: the
 * oldest one it is not in yet and that nobody has left before it came. So threads whose first regions were not
 * recorded (a ring, lost events) are matched right. Inside a team the k-th time a member meets a construct belongs to
 * the k-th instance of it. Only unfinished instances are in memory.
 */
#ifndef HEDDLE_ANALYZER_IMBALANCE_MATCHER_H
#define HEDDLE_ANALYZER_IMBALANCE_MATCHER_H

#include "analyzer/imbalance/imbalance.h"
#include "analyzer/imbalance/piece.h"

struct matcher;

/* Adds up into `imbalance`, whose constructs exist. NULL: no memory. */
struct matcher *matcher_create(const struct trace *trace, struct imbalance *imbalance, bool with_waits);
void matcher_destroy(struct matcher *matcher);

/* Takes the next piece of a location. False: no memory. */
bool matcher_take(struct matcher *matcher, uint32_t location, const struct piece *piece);

/* Adds up what is unfinished, and hands over the waits. False: no memory. */
bool matcher_finish(struct matcher *matcher);

#endif
