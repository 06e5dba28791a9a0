/*
 * Distinguishes signals to this process alone from signals to its whole process group. A second process in the group,
 * which does nothing else, receives only the latter. One at a time.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_GROUP_WITNESS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_GROUP_WITNESS_H

#include <signal.h>
#include <stdbool.h>

/* signals: what group_witness_saw() is asked about. Without a witness (no memory, no process) no signal is the group's.
 */
void group_witness_begin(const int *signals, unsigned count);

/* In the handler of a signal, once each time: true if the group had it. May take some milliseconds. */
bool group_witness_saw(int number);

void group_witness_end(void);

#endif
