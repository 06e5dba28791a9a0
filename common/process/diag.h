/*
 * What the tool says to the user of a traced program: one line on stderr, beginning with "heddle: ", written by a
 * single write(2). Safe in any thread, after fork and at exit. Errno is kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_DIAG_H
#define HEDDLE_COMMON_PROCESS_DIAG_H

#include <stdatomic.h>
#include <stdbool.h>

/* Takes note of what standard error is: where the program puts a file of its own there later, nothing is written to it.
 */
void diag_begin(void);

/* The parts are joined; control characters in them are escaped. The list ends with NULL. */
void diag_say(const char *part, ...) __attribute__((sentinel));

/* True for the first caller of each flag: for what is said once a process. */
static inline bool diag_first(atomic_bool *said)
{
  return !atomic_exchange(said, true);
}

/* A message for an errno value, with what the user can do about it where that is known. */
const char *diag_reason(int error);

#endif
