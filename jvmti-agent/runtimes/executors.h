/* The tasks of executors; their rows are in known.h. */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_EXECUTORS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_EXECUTORS_H

/* The JVM ends, or recording does: says what was lost. */
void executors_end(void);

#endif
