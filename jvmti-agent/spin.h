/*
 * Yields of the calling thread. Threads that spin yield a hundred thousand times a second: consecutive ones, with no
 * other record between and no more than 100 us apart, are one RAW_SPIN that grows where it stands.
 */
#ifndef HEDDLE_JVMTI_AGENT_SPIN_H
#define HEDDLE_JVMTI_AGENT_SPIN_H

#include <jvmti.h>
#include <stdint.h>

/* One yield, from `begin` (ticks) to now. */
void spin_add(JNIEnv *jni, uint64_t begin);

/* The thread begins in another recording. */
void spin_forget(void);

#endif
