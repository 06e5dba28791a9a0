/*
 * The environment of a program that is going to be started: this process's, with changes. This process keeps its own,
 * so that what it starts afterwards (the converter) runs as the user's other programs do.
 */
#ifndef HEDDLE_ANALYZER_LAUNCH_ENVIRONMENT_H
#define HEDDLE_ANALYZER_LAUNCH_ENVIRONMENT_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>

struct environment_change {
  char *name, *value;
};

/* Zero it to begin with. */
struct environment {
  VECTOR(struct environment_change) changes; /* in the order in which they were made first */
  bool failed;                               /* memory ran out; a change is missing */
};

/* Sets a variable; both are copied. */
void environment_set(struct environment *environment, const char *name, const char *value);

/* What the program will have: the change, else this process's variable; NULL: neither, or empty. */
const char *environment_get(const struct environment *environment, const char *name);

/* All of it as execve(2) takes it: one block, to be freed. NULL: no memory. Holds until a variable changes. */
char **environment_make(const struct environment *environment);
void environment_free(struct environment *environment);

/* Puts an entry before (OMP_TOOL_LIBRARIES) or after (ASAN_OPTIONS) what a variable holds, with the separator between.
 */
void environment_prepend(struct environment *environment, const char *name, const char *entry, char separator);
void environment_append(struct environment *environment, const char *name, const char *entry, char separator);

/*
 * Adds a library to LD_PRELOAD: behind what the user preloads, which may insist on being first (sanitizers, memory
 * allocators), but before an OpenMP runtime, whose functions it is to come before. False: it can't be named there,
 * because its path has a space or a colon.
 */
bool environment_preload(struct environment *environment, const char *library);

#endif
