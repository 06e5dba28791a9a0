/*
 * Critical constructs of JOMP: synchronized blocks on the result of getLockByName. The functions belong to the rows of
 * its calls. The construct is a critical section of OpenMP if its name is a constant, as JOMP's compiler makes it. The
 * monitor gets the name, too.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_CRITICAL_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_CRITICAL_H

#include "jvmti-agent/runtimes/sites.h"

void jomp_prepare_critical(struct site *site, const struct weave_match *match);
/* getLockByName returned, and the thread is about to enter; has entered; is about to leave. */
void jomp_asks_for_critical(const struct hook *hook);
void jomp_has_critical(const struct hook *hook);
void jomp_leaves_critical(const struct hook *hook);

/* As runtimes_wait_for(), for JOMP. */
bool jomp_waits_for_monitor(JNIEnv *jni, jobject monitor);

/* The calling thread ends. */
void jomp_critical_thread_end(void);

#endif
