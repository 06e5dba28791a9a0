/*
 * JOMP's critical constructs: synchronized blocks on what getLockByName gives. Rows' functions for its calls; the
 * construct is a critical section of OpenMP if its name is a constant, as JOMP's compiler makes it. The monitor gets
 * the name, too.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_CRITICAL_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_CRITICAL_H

#include "jvmti-agent/runtimes/sites.h"

void jomp_prepare_critical(struct site *site, const struct weave_match *match);
/* getLockByName returns: the thread is about to enter. */
void jomp_asks_for_critical(const struct hook *hook);
void jomp_has_critical(const struct hook *hook);
void jomp_leaves_critical(const struct hook *hook);

/* See runtimes_wait_for(). */
bool jomp_waits_for_monitor(JNIEnv *jni, jobject monitor);

/* The calling thread ends. */
void jomp_critical_thread_end(void);

#endif
