/*
 * The log that a JVM wrote of itself into the directory of its process (jvmti-agent/jvm_pauses.h): for how long it
 * stopped all its threads at a safepoint, and for how long a thread that allocated waited for the collector (ZGC: an
 * allocation stall). Lines that are neither, or damaged, are passed over; names of threads in it may be anything.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_JVM_LOG_H
#define HEDDLE_OTF2_CONVERT_SCAN_JVM_LOG_H

#include "base/vector.h"
#include "otf2-convert/plan/process.h"

#include <stdbool.h>
#include <stdint.h>

#define JVM_LOG_STOPS_MAX 1000000u /* of each kind; later ones are left out */
#define JVM_LOG_NAME_SIZE 64u

struct jvm_safepoint {
  uint64_t begin, end;          /* CLOCK_MONOTONIC, ns; of archive time after jvm_log_of() */
  char name[JVM_LOG_NAME_SIZE]; /* of the operation, which is the JVM's */
};

struct jvm_stall {
  uint64_t begin, end; /* likewise */
  uint64_t tid;        /* the kernel's number of the thread */
};

struct jvm_log {
  VECTOR(struct jvm_safepoint) safepoints; /* by end; without those of a collection, which JVMTI tells */
  VECTOR(struct jvm_stall) stalls;         /* by thread, then by begin */
  bool cut;                                /* there is an older part of the log: what came before it may be missing */
  size_t passed;                           /* safepoints that the conversion has taken */
};

/* Takes a line without its newline. False: memory is short. Lines come in any order. */
bool jvm_log_line(struct jvm_log *log, char *line);

/* Reads what is in the directory of a process, in archive time. False: memory is short. */
bool jvm_log_of(struct jvm_log *log, const struct process *process);
void jvm_log_free(struct jvm_log *log);

/* The stalls of a thread: *count, from the first one on. */
const struct jvm_stall *jvm_log_stalls(const struct jvm_log *log, uint64_t tid, size_t *count);

#endif
