/* Notes of what a thread does to another one: notify, interrupt, unpark. Emitted on the thread that does it. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_NOTES_H
#define HEDDLE_JVMTI_AGENT_CORE_NOTES_H

#include "common/raw/raw_trace.h"

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether a note is within the budget; its weight is told. */
bool note_is_taken(enum raw_note note, uint64_t code);
/* The calling thread, which records, unparks another one. */
void note_unpark(JNIEnv *jni, jobject thread);

#endif
