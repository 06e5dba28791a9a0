/* The directory of a recorded trace. For the commands `record` and `attach`. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_DIRECTORY_H
#define HEDDLE_ANALYZER_RECORD_RECORD_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct record_directory {
  const char *command; /* for messages; the caller sets it */
  bool never_taken;    /* one that exists is not used, but a new one in it; the caller sets it */
  int fd;              /* all that is done in it begins here; -1: it is not open */
  char *path;          /* absolute */
  char *shown;         /* as the user wrote it, for messages */
  char *below;         /* the directory that was there, of a new one in it; NULL: none */
  bool given;          /* to another user */
  bool created;        /* it did not exist before */
  size_t kept;         /* the length of the part of `shown` that existed before, without a slash at its end */
};

/*
 * Creates the directory (and its parents), or uses an existing one that holds no trace; `force` removes a trace in it
 * first. `wanted` NULL: a new one, heddle-<program>-<start>-<pid> here, or with further characters where something has
 * that name. It must be the caller's alone (common/process/own_directory.h). Writes the machine's topology into it.
 * False: an error, after a message on stderr.
 */
bool record_directory_make(struct record_directory *directory, const char *wanted, const char *program, bool force);

/* The absolute path of the directory that record_directory_make() would use; to be freed. NULL: out of memory. */
char *record_directory_name(const char *wanted, const char *program);

/* Makes a new directory under the default name. Returns its absolute path, to be freed. NULL: after a message. */
char *record_directory_new(const char *command, const char *program);

/* Gives it to another user, if it was created here and nothing of others is in it. False: errno says why not. */
bool record_directory_give(struct record_directory *directory, uid_t user, gid_t group);

/* Whether the program has recorded anything. */
bool record_directory_has_raw(const struct record_directory *directory);

/* Removes what record_directory_make() created, and nothing else; what was given away with all that is in it. */
void record_directory_drop(const struct record_directory *directory);
void record_directory_free(struct record_directory *directory);

#endif
