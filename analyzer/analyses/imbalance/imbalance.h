/*
 * Evenness of parallel regions and work-sharing constructs: how they spread their work over their threads, and which
 * threads wait for which.
 *
 * Each instance (one execution of a construct by one team) is judged by itself and then added up. Imbalance that moves
 * from thread to thread therefore does not cancel out. Busy time is time in state RUN. n is the size of the team;
 * members that did nothing count with 0.
 *
 * No figure includes time in state UNMEASURED. If measurement stopped or paused in an instance, the instance counts
 * with the measured time of its mean member. Members are then compared by the part of their measured time that they
 * were busy, because they do not all stop at the same moment. If nothing of a member was recorded (its recording had
 * stopped, or a ring has overwritten it), the balance of the instance is unknown. The instance still counts in calls,
 * elapsed, busy and the sums of threads.
 *
 * If the trace is restricted (trace/restriction.h), an instance counts only if the restriction includes all of it and
 * all of its threads. Other instances count as omitted, and are in no figure.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_IMBALANCE_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_IMBALANCE_H

#include "analyzer/analyses/imbalance/constructs.h"
#include "analyzer/trace/pass/pass.h"

/*
 * Finds imbalance in a pass in order of time. Options: struct imbalance_options; result: struct imbalance. Merges the
 * results of other locations, if all locations of a process are in one of the two.
 */
extern const struct analysis imbalance_analysis;

enum imbalance_schedule { SCHEDULE_NONE, SCHEDULE_STATIC, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_OTHER };

/* From the region's description (`schedule: static`); NONE if the description has no schedule. */
enum imbalance_schedule imbalance_schedule(const struct trace_region *region);
const char *imbalance_schedule_name(enum imbalance_schedule schedule);

#endif
