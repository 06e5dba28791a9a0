/*
 * The environment of a program to start: this process's with changes. This process keeps its own environment, so
 * programs that it starts later (the converter) run as the user's other programs do.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_ENVIRONMENT_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_ENVIRONMENT_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>

struct environment_change {
  char *name, *value;
};

/* {0} has no changes. */
struct environment {
  VECTOR(struct environment_change) changes; /* by variable, in the order of its first change */
  bool failed;                               /* out of memory: a change is missing */
};

/* Sets a variable; both are copied. */
void environment_set(struct environment *environment, const char *name, const char *value);

/* The program's value of a variable: the change, else this process's. NULL: neither, or empty. */
const char *environment_get(const struct environment *environment, const char *name);

/* The environment for execve(2): one block, which the caller frees, valid until a variable changes. NULL: no memory. */
char **environment_make(const struct environment *environment);
void environment_free(struct environment *environment);

/* Adds an entry before (OMP_TOOL_LIBRARIES) or after (ASAN_OPTIONS) a variable's value, with the separator between. */
void environment_prepend(struct environment *environment, const char *name, const char *entry, char separator);
void environment_append(struct environment *environment, const char *name, const char *entry, char separator);

/*
 * Adds a library to LD_PRELOAD: after the user's libraries, which may have to be first (sanitizers, memory allocators),
 * but before an OpenMP runtime, whose functions it replaces. False: LD_PRELOAD can't have it, because its path has a
 * space or a colon.
 */
bool environment_preload(struct environment *environment, const char *library);

#endif
