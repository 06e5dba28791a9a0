/*
 * Input and output by which Java threads wait: sockets, files, selectors, and names of hosts. The natives of the JDK
 * that do it are ours (natives.h), also on platform threads that others use; virtual threads park for sockets, which
 * the hook of Poller.poll announces (runtimes/polls.c).
 *
 * What is ready takes some microseconds, and is not recorded: only calls that last IO_WAITS are waits. A thread whose
 * last call of the same kind waited looks for its place and the other side before the next one: nobody waits for that,
 * and a wait that never ends is recorded. If this call does not wait, its record says so (RAW_BLOCK_NONE). Other calls
 * are recorded at their end, if they have waited.
 *
 * Large transfers copy on the processor: the thread's processor time is taken off.
 */
#ifndef HEDDLE_JVMTI_AGENT_IO_H
#define HEDDLE_JVMTI_AGENT_IO_H

#include "common/raw/raw_trace.h"

#include <jni.h>

#define IO_WAITS 10u       /* us */
#define IO_LARGE (1 << 16) /* bytes */

/* What a virtual thread parks for, if Poller.poll announced it: the calling thread's own. 0: something else. */
enum raw_block io_take_poll(uint64_t *object);

#endif
