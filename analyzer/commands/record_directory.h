/* The directory a recorded trace goes into. For the commands `record` and `attach`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_DIRECTORY_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct record_directory {
  const char *command; /* whose messages they are; the caller sets it */
  char *path;          /* absolute */
  char *shown;         /* as the user wrote it, for messages */
  bool created;        /* was not there before */
  size_t kept;         /* this much of `shown` was there before, without a slash at its end */
};

/*
 * Makes the directory (and its parents) or takes an existing one that holds no trace; with `force` a trace in it is
 * removed first. `wanted` NULL: heddle-<program>-<start>-<pid> here. Writes the machine's topology into it.
 * False: it has said why.
 */
bool record_directory_make(struct record_directory *directory, const char *wanted, const char *program, bool force);

/* The absolute path of the directory that would be made or taken, to be freed. NULL: no memory. */
char *record_directory_name(const char *wanted, const char *program);

/* Has the program recorded anything? */
bool record_directory_has_raw(const struct record_directory *directory);

/* Takes away what record_directory_make() made; leaves everything else. */
void record_directory_drop(const struct record_directory *directory);
void record_directory_free(struct record_directory *directory);

#endif
