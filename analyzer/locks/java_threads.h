/* Private to locks/: the locations of Java's threads, by process << 32 | Thread.getId(). Of virtual threads: the one
 * that ran it last. */
#ifndef HEDDLE_ANALYZER_LOCKS_JAVA_THREADS_H
#define HEDDLE_ANALYZER_LOCKS_JAVA_THREADS_H

#include "analyzer/trace/definitions.h"
#include "base/hash.h"

/* Adds or replaces. False: no memory. */
bool java_threads_set(struct hash *threads, uint64_t process, uint64_t id, uint32_t location);

/* Those whose locations name them. False: no memory. */
bool java_threads_map(struct hash *threads, const struct trace *trace);

/* The same of the kernel's ids; several threads that had one in turn are TRACE_NONE. */
bool kernel_threads_map(struct hash *threads, const struct trace *trace);

/* TRACE_NONE: it is not in the trace. */
uint32_t java_threads_find(const struct hash *threads, uint64_t process, uint64_t id);

#endif
