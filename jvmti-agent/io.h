/*
 * Input and output by which Java threads wait: sockets, files, selectors, and names of hosts. The agent replaces
 * the JDK's natives for them (natives.h). Virtual threads park for sockets, which the hook of Poller.poll announces
 * (runtimes/jdk_calls.c).
 *
 * A call that finds data ready takes some microseconds and is not recorded: only calls of at least IO_WAITS are waits.
 * If a thread's last call of the same kind waited, its next call reads the place and the other side before it begins.
 * So a wait without an end is recorded, too. If this call does not wait, its record has RAW_BLOCK_NONE. Other waits are
 * recorded at their end.
 *
 * Large transfers copy on the processor: the thread's processor time is subtracted.
 */
#ifndef HEDDLE_JVMTI_AGENT_IO_H
#define HEDDLE_JVMTI_AGENT_IO_H

#include "common/raw/raw_trace.h"

#include <jni.h>

#define IO_WAITS 10u       /* us */
#define IO_LARGE (1 << 16) /* bytes */

/* Takes what Poller.poll announced for the calling thread: the kind of its next park, and the object. 0: nothing. */
enum raw_block io_take_poll(uint64_t *object);

#endif
