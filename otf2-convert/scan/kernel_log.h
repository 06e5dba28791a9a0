/*
 * Reader of the kernel's logs (common/raw/kernel_log.h), round by round: switches and samples in the order of time, in
 * raw ticks of the recorder's clocks. The files may be torn or hostile: the log ends at the first invalid record. A log
 * may also be followed while it is written.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_KERNEL_LOG_H
#define HEDDLE_OTF2_CONVERT_SCAN_KERNEL_LOG_H

#include "base/vector.h"
#include "common/raw/kernel_log.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Trigger of the kernel's samples. */
struct kernel_sampler {
  uint32_t name;   /* number of a name; 0: none */
  bool by_time;    /* the period is ns of a thread's processor time, else events */
  uint64_t period; /* not 0 */
};

/* A moment in each clock that a recorder may use. */
struct kernel_moment {
  uint64_t raw, stamp, monotonic;
};

struct kernel_log {
  FILE *file;
  struct kernel_log_header header;
  struct kernel_moment end;               /* begin of the last round */
  VECTOR(struct kernel_moment) rounds;    /* begins of the newest ones */
  uint64_t sure;                          /* raw; all events up to KERNEL_LATE_NS before it have been read */
  struct kernel_record ahead;             /* read, but not processed */
  VECTOR(char *) names;                   /* objects of calls; number 1 is the first */
  VECTOR(struct kernel_sampler) samplers; /* by number of the trigger */
  VECTOR(uint64_t) stacks;                /* where they are in the file (stacks.h); number 1 is the first */
  VECTOR(uint64_t) blocks;                /* likewise the bytes of blocks */
  bool alone;                             /* it has samples only */
  bool over;                              /* nothing more is read */
  VECTOR(struct kernel_record) waiting;   /* not returned yet */
  size_t next;                            /* the caller counts it */
  bool in_order;
  uint64_t taken, sorted; /* number of records that were read into `waiting`, and of records sorted, in all rounds */
};

/* Opens the directory of logs, `path` below `at`. Close it with closedir(). NULL: there is none. */
DIR *kernel_log_directory(int at, const char *path);
/* True if a file name of the directory is a log's. */
bool kernel_log_is_name(const char *name);
/* Skips to the next round, and reads the clocks at its begin; for logs whose clocks alone are needed. False: there is
 * none. */
bool kernel_log_skip_to_round(struct kernel_log *log, struct kernel_moment *moment);
/* Opens a log. False: it is no log, or cannot be read. */
bool kernel_log_open(struct kernel_log *log, int directory, const char *name);
/* Returns the record number `next`, if all later ones are known to follow it; NULL: another round must be read first.
 */
const struct kernel_record *kernel_log_peek(struct kernel_log *log);
/* Reads a round. False: there is none. */
bool kernel_log_round(struct kernel_log *log);
/* The same for a log that is being written: reads whole records only; the rest comes with a later call. A log that
 * became shorter has ended. */
enum kernel_followed {
  KERNEL_FOLLOWED_ROUND, /* another round has begun, so there may be more records */
  KERNEL_FOLLOWED_ALL,   /* there are no more records now */
  KERNEL_FOLLOWED_OVER   /* no more is read, or memory is short; the records that were read are returned */
};
enum kernel_followed kernel_log_follow(struct kernel_log *log);
/* Restarts at the begin of the log. */
void kernel_log_rewind(struct kernel_log *log);
/* Notes that the log is complete: if all of it was followed, the remaining records are returned. */
void kernel_log_end(struct kernel_log *log);
/* True if a process writes the log; false also if that is unknown. */
bool kernel_log_is_written(const struct kernel_log *log);

/* Returns the time of a record in all clocks, by linear interpolation between rounds. */
struct kernel_moment kernel_log_moment(const struct kernel_log *log, uint64_t raw);
void kernel_log_close(struct kernel_log *log);

#endif
