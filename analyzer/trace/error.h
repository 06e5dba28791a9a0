/* What went wrong, as one line for the user. Functions that can fail take one, fill it and return false. */
#ifndef HEDDLE_ANALYZER_TRACE_ERROR_H
#define HEDDLE_ANALYZER_TRACE_ERROR_H

#include <stdbool.h>

struct trace_error {
  char message[1024]; /* what, where, what to do; no newline; names in it are not escaped yet */
};

/* Formats the message; returns false, so that a caller can write `return trace_fail(error, ...)`. */
__attribute__((format(printf, 2, 3))) bool trace_fail(struct trace_error *error, const char *format, ...);

/*
 * Keeps the OTF2 library from printing lines of its own, in the whole process: what it finds wrong is told by whoever
 * called it, in struct trace_error.
 */
void trace_quiet_library(void);

#endif
