/*
 * A recording that has stopped makes way for another one, while the process and its threads go on (a JVM that is
 * attached to again). Threads may be at any line of an emit, and keep addresses of their slots. So a slot stays its
 * thread's, without a window; with its next record the thread begins in the new recording.
 */
#ifndef HEDDLE_COMMON_RECORDER_RECORDING_RESTART_H
#define HEDDLE_COMMON_RECORDER_RECORDING_RESTART_H

#include <stdbool.h>
#include <stdint.h>

/*
 * After recording_stop: lets go of the windows and of all that the recording counted; recording_open may follow. One
 * thread at a time. False: after longest_ns a thread was still recording, perhaps held up by a slow disk; nothing has
 * changed, and it may be called again.
 */
bool recording_restart(uint64_t longest_ns);

#endif
