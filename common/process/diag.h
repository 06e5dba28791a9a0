/*
 * Messages to the user of a traced program: one line on stderr that begins with "heddle: ", written by a single
 * write(2). Safe in any thread, after fork and at exit. errno is kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_DIAG_H
#define HEDDLE_COMMON_PROCESS_DIAG_H

#include <stdatomic.h>
#include <stdbool.h>

/* Notes which file standard error is. If the program replaces it by a file of its own, no message is written. */
void diag_begin(void);

/* Writes the joined parts, up to NULL; escapes control characters. */
void diag_say(const char *part, ...) __attribute__((sentinel));

/* True for the first caller of each flag: for messages that appear once per process. */
static inline bool diag_first(atomic_bool *said)
{
  return !atomic_exchange(said, true);
}

/* Returns a message for an errno value, with advice to the user if there is any. */
const char *diag_reason(int error);

#endif
