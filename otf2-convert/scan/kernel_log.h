/*
 * Reads the logs of what the kernel told `heddle record` (common/raw/kernel_log.h), round by round: switches and
 * samples in the order of time, in raw ticks of the recorder's clocks. The files may be torn or hostile: what is wrong
 * is left out, and the rest of such a log is not read. A log may also be followed while it is written.
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

/* What makes the kernel take a sample. */
struct kernel_sampler {
  uint32_t name;   /* number of a name; 0: none */
  bool by_time;    /* the period is ns of a thread's processor time, else events */
  uint64_t period; /* not 0 */
};

/* A moment by each clock that a recorder may have. */
struct kernel_moment {
  uint64_t raw, stamp, monotonic;
};

struct kernel_log {
  FILE *file;
  struct kernel_log_header header;
  struct kernel_moment end;               /* begin of the round that was read last */
  VECTOR(struct kernel_moment) rounds;    /* of the newest ones */
  uint64_t sure;                          /* raw; all that happened before, less KERNEL_LATE_NS, has been read */
  struct kernel_record ahead;             /* read, but not looked at */
  VECTOR(char *) names;                   /* of what calls are about; number 1 is the first */
  VECTOR(struct kernel_sampler) samplers; /* by number of the trigger */
  VECTOR(uint64_t) stacks;                /* where they are in the file (stacks.h); number 1 is the first */
  VECTOR(uint64_t) blocks;                /* likewise the bytes of blocks */
  bool alone;                             /* it has samples alone */
  bool over;                              /* nothing is to be read any more */
  VECTOR(struct kernel_record) waiting;   /* not handed out yet */
  size_t next;                            /* the caller's to count */
  bool in_order;
  uint64_t taken, sorted; /* records of `waiting`: that were read; that were put in order, again and again */
};

/* Opens the directory of logs, `path` below `at`; closedir() it. NULL: there is none. */
DIR *kernel_log_directory(int at, const char *path);
/* Whether a file in there is called as a log. */
bool kernel_log_is_name(const char *name);
/* Reads up to the next round, and what the clocks were at its begin: for a log of which nothing else is wanted. False:
 * there is none. */
bool kernel_log_skip_to_round(struct kernel_log *log, struct kernel_moment *moment);
/* Opens a log. False: it is none, or cannot be read. */
bool kernel_log_open(struct kernel_log *log, int directory, const char *name);
/* The next record, which is number `next`, as long as all that come later are known to be later; NULL: first another
 * round must be read. */
const struct kernel_record *kernel_log_peek(struct kernel_log *log);
/* Reads a round. False: there is none. */
bool kernel_log_round(struct kernel_log *log);
/*
 * The same of a log that is being written, in place of kernel_log_round(): whole records alone are read, and what is
 * missing comes with a later call. A log that became shorter is over.
 */
enum kernel_followed {
  KERNEL_FOLLOWED_ROUND, /* another round has begun, so there may be more to hand out */
  KERNEL_FOLLOWED_ALL,   /* no more is there now */
  KERNEL_FOLLOWED_OVER   /* no more is read, or memory is short; what was read is handed out */
};
enum kernel_followed kernel_log_follow(struct kernel_log *log);
/* Follows it from its begin again. */
void kernel_log_rewind(struct kernel_log *log);
/* Nobody writes it any more: if all of it was followed, what is left is handed out. */
void kernel_log_end(struct kernel_log *log);
/* Whether somebody writes it; if that cannot be known, nobody does. */
bool kernel_log_is_written(const struct kernel_log *log);

/* The time of a record by the other clocks: between two rounds they go on evenly. */
struct kernel_moment kernel_log_moment(const struct kernel_log *log, uint64_t raw);
void kernel_log_close(struct kernel_log *log);

#endif
