/* The locations of threads by the ids that events name them by, Java's (Thread.getId()) or the kernel's: a hash from
 * process << 32 | id. */
#ifndef HEDDLE_ANALYZER_TRACE_THREAD_IDS_H
#define HEDDLE_ANALYZER_TRACE_THREAD_IDS_H

#include "analyzer/trace/definitions.h"
#include "base/hash.h"

/* Adds or replaces. False: no memory. */
bool thread_ids_set(struct hash *threads, uint64_t process, uint64_t id, uint32_t location);

/* Java's threads whose locations name them. False: no memory. */
bool thread_ids_of_java(struct hash *threads, const struct trace *trace);

/* The same of the kernel's ids; several threads that had one in turn are TRACE_NONE. */
bool thread_ids_of_kernel(struct hash *threads, const struct trace *trace);

/* TRACE_NONE: it is not in the trace. */
uint32_t thread_ids_find(const struct hash *threads, uint64_t process, uint64_t id);

#endif
