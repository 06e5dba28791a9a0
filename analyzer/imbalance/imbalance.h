/*
 * How evenly parallel regions and work-sharing constructs spread their work over their threads, and who waits for whom.
 *
 * Everything is computed an instance at a time (one execution of a construct by one team) and then summed, so that
 * imbalance which moves from thread to thread does not cancel out. Busy time is time in state RUN. n is the size of the
 * team; members that did nothing count with 0.
 *
 * Time in state UNMEASURED is in no figure. Where measurement stopped or paused in an instance, its time is what was
 * measured of it (of the mean member), and how busy its members were is compared at the rates at which they were, for
 * not all stop at the same moment. Where nothing was recorded of a member (its recording had stopped, or a ring has not
 * kept it), the instance is in calls, elapsed, busy and the sums of threads, but nothing is said of its balance.
 *
 * Where the trace is restricted (trace/restriction.h), an instance counts only if all of it, and all of its threads,
 * are looked at. Others are counted as left out, and are in no figure.
 */
#ifndef HEDDLE_ANALYZER_IMBALANCE_IMBALANCE_H
#define HEDDLE_ANALYZER_IMBALANCE_IMBALANCE_H

#include "analyzer/imbalance/constructs.h"
#include "analyzer/pass/pass.h"

/*
 * Finds imbalance in a pass in order of time (pass.h), into `imbalance`; to be freed with imbalance_free(), also after
 * an error. NULL: no memory. After the pass: imbalance_end(), or imbalance_drop() where it failed.
 */
struct imbalance_finder;
struct imbalance_finder *imbalance_begin(const struct trace *trace, bool with_waits, struct imbalance *imbalance,
                                         struct error *error);
const struct subscriber *imbalance_subscriber(const struct imbalance_finder *finder);
bool imbalance_end(struct imbalance_finder *finder, struct error *error);
void imbalance_drop(struct imbalance_finder *finder);

/*
 * Adds what was found at other locations of the same trace: each process' locations are in one of both. False: no
 * memory; then `into` is of no use but to be freed.
 */
bool imbalance_merge(struct imbalance *into, const struct imbalance *from);

enum imbalance_schedule { SCHEDULE_NONE, SCHEDULE_STATIC, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_OTHER };

/* As the region's description says (`schedule: static`); NONE where it says nothing. */
enum imbalance_schedule imbalance_schedule(const struct trace_region *region);
const char *imbalance_schedule_name(enum imbalance_schedule schedule);

#endif
