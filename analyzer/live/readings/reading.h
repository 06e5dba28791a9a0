/*
 * Reading of a process that records: its threads at one moment, and the sums of each construct up to then. It has the
 * form of a profile (analyzer/live/profile).
 *
 * The trace of a reading has no events and no file: its regions, locations and clock are what profiled_states() and the
 * printers of profiles need. Regions and locations keep their numbers from reading to reading; later readings may have
 * more.
 */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_READING_H
#define HEDDLE_ANALYZER_LIVE_READINGS_READING_H

#include "analyzer/live/profile/focus.h"
#include "analyzer/live/profile/profile.h"

#include <stdbool.h>

/* A thread now; its name and kind are in the trace. */
struct live_thread {
  uint64_t tid;      /* the kernel's number, as the process sees it; 0: unknown */
  const char *start; /* its start function; NULL: unknown */
  bool over;         /* it has ended */
  bool hidden;       /* it is not in the focus */
  bool is_inside;
  enum profile_kind kind; /* kind of the row that it is in, ... */
  uint32_t region;        /* ... and that row's region; TRACE_NONE: no construct */
};

struct live_reading {
  const struct trace *trace;
  struct profiled profile;     /* since each thread began; a thread's self times add up to its life, which in a focus
                                  is the time that is in it */
  struct profiled apart;       /* the same, apart by number in a team, without lives; rows NULL: not asked for */
  bool focused;                /* it is restricted to a focus */
  struct live_thread *threads; /* one a location ... */
  uint32_t location_count;     /* ... of this reading; later ones may have more */
  uint64_t now;                /* ticks */
  bool over;                   /* the process no longer records: there is no further reading */
};

/* A region, and the code by which the program's recorder knows it (live_control.h); a region may have several. */
struct live_code {
  uint32_t region;
  uint64_t code;
};

void live_reading_free(struct live_reading *reading);

/* Copies rows and metrics, without lives. False: out of memory; free with profiled_free(), also then. */
bool live_copy_sums(const struct profiled *from, struct profiled *to);

/* Makes the lives and self times of each thread with rows agree. The rows are sorted by thread. */
void live_fit(struct profiled *profile);

/* The present place of a thread, for people; not escaped. */
const char *live_place(const struct live_reading *reading, uint32_t location);

/*
 * Subtracts two readings of a process: the sums of the later one minus the sums of the earlier one. `longest` stays the
 * longest of all. A thread that had ended before has no life. False: out of memory. Free with live_reading_free().
 */
bool live_between(const struct live_reading *before, const struct live_reading *now, struct live_reading *between);

#endif
