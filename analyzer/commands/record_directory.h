/* The directory of a recorded trace. For the commands `record` and `attach`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_DIRECTORY_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct record_directory {
  const char *command; /* for messages; the caller sets it */
  char *path;          /* absolute */
  char *shown;         /* as the user wrote it, for messages */
  bool created;        /* it did not exist before */
  size_t kept;         /* the length of the part of `shown` that existed before, without a slash at its end */
};

/*
 * Creates the directory (and its parents), or uses an existing one that holds no trace; `force` removes a trace in it
 * first. `wanted` NULL: heddle-<program>-<start>-<pid> here. Writes the machine's topology into it.
 * False: an error, after a message on stderr.
 */
bool record_directory_make(struct record_directory *directory, const char *wanted, const char *program, bool force);

/* The absolute path of the directory that record_directory_make() would use; to be freed. NULL: out of memory. */
char *record_directory_name(const char *wanted, const char *program);

/* The path of its part for what the kernel tells; to be freed. NULL: out of memory. */
char *record_directory_of_kernel(const struct record_directory *directory);

/* Whether the program has recorded anything. */
bool record_directory_has_raw(const struct record_directory *directory);

/* Removes what record_directory_make() created, and nothing else. */
void record_directory_drop(const struct record_directory *directory);
void record_directory_free(struct record_directory *directory);

#endif
