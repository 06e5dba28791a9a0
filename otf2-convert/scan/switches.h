/*
 * Context switches from the kernel's logs (kernel_log.h): the times in which threads had no processor, as a list per
 * location. The processors are locations, too. The lists cover the current slices. Samples of the same logs go to
 * samples.h.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_SWITCHES_H
#define HEDDLE_OTF2_CONVERT_SCAN_SWITCHES_H

#include "base/hash.h"
#include "base/vector.h"
#include "otf2-convert/samples/samples.h"
#include "otf2-convert/scan/kernel_log.h"
#include "otf2-convert/scan/location.h"
#include "otf2-convert/timeline/conversion.h"

#include <stdint.h>

/* A processor as a location of its own: the recorded threads that it ran. */
struct processor_line {
  uint32_t log, processor; /* number of its log, and its number on the machine */
  uint32_t process;        /* of the first thread that it ran; this process has its machine */
  uint32_t thread;         /* location of the thread that it runs, or PROCESSOR_... */
  uint64_t since;
  struct sink sink;
};
#define PROCESSOR_FREE    UINT32_MAX       /* no recorded thread */
#define PROCESSOR_UNKNOWN (UINT32_MAX - 1) /* events were lost */

struct processor_lines {
  const struct conversion *on;
  struct region_cache regions;
  uint32_t first_location; /* number of the first line's in the archive */
  VECTOR(struct processor_line) items;
  struct hash by_number; /* log << 32 | processor: number in `items` */
};

void processor_lines_begin(struct processor_lines *lines, const struct conversion *on, uint32_t first_location);

/*
 * Notes that the processor runs the thread of a location from `time` (archive time) on, or PROCESSOR_FREE or
 * PROCESSOR_UNKNOWN. After the latter the time since its last switch is unknown, too. Times of a processor increase.
 * False: out of memory.
 */
bool processor_lines_switch(struct processor_lines *lines, uint32_t log, uint32_t processor, uint32_t process,
                            uint32_t thread, uint64_t time);

/* Ends all lines at the end of the run. Returns the end of the last line, which may be later. */
uint64_t processor_lines_end(struct processor_lines *lines, uint64_t time);
void processor_lines_free(struct processor_lines *lines);

/* A thread of the kernel. It may have several locations in turn: after exec, if its id is used again, or if main()'s
 * thread waits for other threads of Java. */
struct switches_thread {
  uint32_t location;     /* at the time of the newest record */
  uint32_t last;         /* the latest known one */
  uint32_t out_location; /* at the time when it lost its processor */
  uint64_t out;          /* archive time */
  uint32_t call;         /* as in struct off_time */
  uint32_t losses;       /* number of losses before `out` */
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
  uint64_t cost;   /* ns that recording the switches took */
  uint64_t bound;  /* of this switches_until() */
  uint32_t losses; /* so far; switches before and after a loss do not belong together */
};

/* Opens the logs of a trace, if it has any. `into` has the destinations: calls, lines and samples. False: out of
 * memory. Call switches_close() in any case. */
bool switches_open(struct switches *switches, int trace_fd, const struct switches *into);
/* Returns the end (archive time) of the events that fit into memory; UINT64_MAX: all. It increases with each call. */
uint64_t switches_limit(struct switches *switches, const struct location *locations, uint32_t count);
/* Adds the times before `until` (archive time) to the locations, whose threads are known up to then, and writes the
 * processors' lines. The run ends at `bound`: later events are not written there. False: out of memory. */
bool switches_until(struct switches *switches, struct location *locations, uint32_t count, uint64_t until,
                    uint64_t bound);
/* True if a log has switches. After all logs were read. */
bool switches_are_known(const struct switches *switches);
void switches_close(struct switches *switches);

/* Removes the logs of a trace. */
void switches_remove(int trace_fd);

#endif
