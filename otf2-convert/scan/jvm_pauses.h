/*
 * Pauses of a JVM: garbage collections and other operations at a safepoint, which stop all threads, and allocation
 * stalls, which stop one. One thread reports each collection; the JVM's log has the rest. The scan notes pauses one
 * slice ahead of the conversion, which shows them on all threads.
 *
 * Threads: one thread changes them, in the pauses of the conversion; any may read in between.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_JVM_PAUSES_H
#define HEDDLE_OTF2_CONVERT_SCAN_JVM_PAUSES_H

#include "base/vector.h"
#include "otf2-convert/plan/process.h"

#include <stdbool.h>
#include <stdint.h>

struct jvm_log;

#define GC_PAUSE_COLLECTION UINT32_MAX

struct gc_pause {
  uint64_t begin, end; /* archive time */
  uint32_t operation;  /* its name, a string's number; or GC_PAUSE_COLLECTION */
};
typedef VECTOR(struct gc_pause) gc_pause_list;

/* Known pauses of a process that some of its threads have not passed yet. */
struct gc_pauses {
  gc_pause_list list; /* number n of the process is items[n - dropped] */
  uint64_t dropped;
};

/* Adds the notes of one location's scan. False: out of memory. */
bool gc_pauses_add(struct gc_pauses *pauses, gc_pause_list *notes);
/* Sorts the pauses from number `first` on by time: a slice's pauses, after all locations were added. */
void gc_pauses_sort(struct gc_pauses *pauses, uint64_t first);
/* Adds the safepoints that ended before or at `until`, except the safepoints of collections. After the collections of
 * the slice. name: returns the number of a string. False: out of memory. */
bool gc_pauses_add_safepoints(struct gc_pauses *pauses, struct jvm_log *log, uint64_t until,
                              uint32_t (*name)(void *context, const char *text), void *context);
/* Drops the pauses that ended before or at `until`. */
void gc_pauses_drop(struct gc_pauses *pauses, uint64_t until);

static inline uint64_t gc_pauses_end(const struct gc_pauses *pauses)
{
  return pauses->dropped + pauses->list.count;
}

/*
 * The JVM's own log in the directory of its process (jvmti-agent/jvm_pauses.h). It has durations of safepoints, and of
 * allocation stalls (ZGC: a thread that allocates waits for the collector). Other and damaged lines are ignored; names
 * of threads may be any text.
 */
#define JVM_LOG_STOPS_MAX 1000000u /* of each kind; later ones are ignored */
#define JVM_LOG_NAME_SIZE 64u

struct jvm_safepoint {
  uint64_t begin, end;          /* CLOCK_MONOTONIC, ns; archive time after jvm_log_of() */
  char name[JVM_LOG_NAME_SIZE]; /* the JVM's name of the operation */
};

struct jvm_stall {
  uint64_t begin, end; /* likewise */
  uint64_t tid;        /* the kernel's number of the thread */
};

struct jvm_log {
  VECTOR(struct jvm_safepoint) safepoints; /* by end; without collections, which JVMTI reports */
  VECTOR(struct jvm_stall) stalls;         /* by thread, then by begin */
  bool cut;                                /* an older part of the log was replaced: early events may be missing */
  size_t passed;                           /* safepoints that the conversion has taken */
};

/* Takes a line without its newline. Lines come in any order. False: out of memory. */
bool jvm_log_line(struct jvm_log *log, char *line);

/* Reads the log in the directory of a process; times become archive time. False: out of memory. */
bool jvm_log_of(struct jvm_log *log, const struct process *process);
void jvm_log_free(struct jvm_log *log);

/* Returns the stalls of a thread, *count of them. */
const struct jvm_stall *jvm_log_stalls(const struct jvm_log *log, uint64_t tid, size_t *count);

#endif
