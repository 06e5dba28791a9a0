/* Cost of context switches that the kernel reports, for the program. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_SWITCH_COST_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_SWITCH_COST_H

#include <linux/perf_event.h>

/*
 * Returns ns that the kernel takes for the reports of a switch: one as a thread leaves its processor, and one as
 * another gets it. Two threads of this process hand over to each other, and nobody reads the reports. Takes some
 * milliseconds. event: as the program's threads have it. 0: not known, or less than can be measured.
 */
double switch_cost_measure(const struct perf_event_attr *event);

#endif
