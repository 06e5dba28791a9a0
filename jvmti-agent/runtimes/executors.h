/* Tasks of ThreadPoolExecutor and CompletableFuture. The rows are in the list of runtimes (sites.h). */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_EXECUTORS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_EXECUTORS_H

/* Reports how many tasks were lost. At the end of the JVM or of the recording. */
void executors_end(void);

#endif
