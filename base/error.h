/* Error message of one line for the user. A function that can fail takes one, fills it in and returns false. */
#ifndef HEDDLE_BASE_ERROR_H
#define HEDDLE_BASE_ERROR_H

#include <stdbool.h>

struct error {
  char message[1024]; /* what, where, what to do; no newline; names in it are not escaped yet */
};

/* Formats the message; returns false, so that a caller can write `return error_set(error, ...)`. */
__attribute__((format(printf, 2, 3))) bool error_set(struct error *error, const char *format, ...);

#endif
