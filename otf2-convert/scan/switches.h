/*
 * When the threads of the run had no processor: from the kernel's context switches (kernel_log.h) to lists of times,
 * one a location. The lists hold what lies in the slices that are at work. Samples of the same logs go to samples.h.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_SWITCHES_H
#define HEDDLE_OTF2_CONVERT_SCAN_SWITCHES_H

#include "base/hash.h"
#include "otf2-convert/samples/samples.h"
#include "otf2-convert/scan/kernel_log.h"
#include "otf2-convert/scan/location.h"
#include "otf2-convert/scan/processor_lines.h"

/* A thread of the kernel, which may have several locations in turn: one after exec, when its id is used again, or where
 * the thread of main() waits for other threads of Java. */
struct switches_thread {
  uint32_t location;     /* at the time of the newest record */
  uint32_t last;         /* the latest one that is known */
  uint32_t out_location; /* where the thread was when it lost its processor */
  uint64_t out;          /* archive time */
  uint32_t call;         /* as of an off_time */
  uint32_t losses;       /* how many there were then */
  bool is_out, preempted;
};

struct switches {
  VECTOR(struct kernel_log) logs;
  VECTOR(struct switches_thread) threads;
  struct processor_lines *lines; /* the caller's */
  struct samples *samples;       /* likewise */
  struct string_table *calls;    /* the caller's: "blocked in read (pipe)" */
  struct hash by_id;             /* process << 32 | thread: number in `threads` */
  uint64_t count, lost;
  uint64_t bound;  /* of the call of switches_until() */
  uint32_t losses; /* switches before and after one do not belong together */
};

/* Opens the logs of a trace; a trace need not have any. `into` has where the texts of calls go, processors and samples.
 * False: memory is short. switches_close in any case. */
bool switches_open(struct switches *switches, int trace_fd, const struct switches *into);
/* Up to when (archive time) not more happened than memory should hold; UINT64_MAX: to the end. Later each time. */
uint64_t switches_limit(struct switches *switches, const struct location *locations, uint32_t count);
/* Adds what happened before `until` (archive time) to the locations, whose threads are known up to then, and writes the
 * processors' own. What is later than `bound` is not written there: the run ends then. False: as above. */
bool switches_until(struct switches *switches, struct location *locations, uint32_t count, uint64_t until,
                    uint64_t bound);
/* Whether a log tells of switches, once all is read. */
bool switches_are_known(const struct switches *switches);
void switches_close(struct switches *switches);

/* Removes the logs of a trace. */
void switches_remove(int trace_fd);

#endif
