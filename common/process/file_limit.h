/*
 * A write beyond the limit of a file's size (ulimit -f) kills the program, by SIGXFSZ. Recording asks before it writes,
 * and keeps the signal away, because another thread may set the limit in between. Any thread; no allocation.
 */
#ifndef HEDDLE_COMMON_PROCESS_FILE_LIMIT_H
#define HEDDLE_COMMON_PROCESS_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether a file may become so long. */
bool file_limit_allows(uint64_t size);

/* Around writes: how signals were before. */
struct file_limit_guard {
  sigset_t before;
  bool was_pending; /* the program's */
};

void file_limit_guard_begin(struct file_limit_guard *guard);
/* exceeded: a call in between failed with EFBIG, so that there may be a signal, which goes. Keeps errno. */
void file_limit_guard_end(const struct file_limit_guard *guard, bool exceeded);

#endif
