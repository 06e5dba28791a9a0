/* Directory of a recorded trace, for the commands `record` and `attach`. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_DIRECTORY_H
#define HEDDLE_ANALYZER_RECORD_RECORD_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct record_directory {
  const char *command;   /* for messages; the caller sets it */
  bool never_taken;      /* in a directory that exists, a new one is made; the caller sets it */
  int fd;                /* descriptor of the directory, the base of all accesses; -1: it is not open */
  char *path;            /* absolute */
  char *shown;           /* as the user wrote it, for messages */
  char *below;           /* the existing directory in which a new one was made; NULL: none */
  bool given;            /* its owner is now another user */
  bool created;          /* it did not exist before */
  const struct job *job; /* its ranks record together (job.h); NULL: none; the caller sets it */
  int job_file;          /* the lock of this rank */
  bool full;             /* there was no room for this rank of a job: it is to run without being recorded */
  size_t kept;           /* the length of the part of `shown` that existed before, without a slash at its end */
};

/*
 * Creates the directory (and its parents), or uses an existing one that holds no trace; `force` removes a trace in it
 * first. `wanted` NULL: a new one, heddle-<program>-<start>-<pid> here, or with further characters where something has
 * that name. It must be the caller's alone (common/process/own_directory.h). Writes the machine's topology into it.
 * The ranks of a job share one.
 * False: an error, or `full`, after a message on stderr.
 */
bool record_directory_make(struct record_directory *directory, const char *wanted, const char *program, bool force);

/* The absolute path of the directory that record_directory_make() would use; to be freed. NULL: out of memory. */
char *record_directory_name(const char *wanted, const char *program);

/* Makes a new directory under the default name. Returns its absolute path, to be freed. NULL: after a message. */
char *record_directory_new(const char *command, const char *program);

/* Makes another user its owner, if it was created here and has no files of others. False: errno says why. */
bool record_directory_give(struct record_directory *directory, uid_t user, gid_t group);

/* True if the program has recorded anything. */
bool record_directory_has_raw(const struct record_directory *directory);
/* If not: true if it began to, and could not write here. It has printed why. */
bool record_directory_was_tried(const struct record_directory *directory);

/* Removes the directories that record_directory_make() created, and nothing else. A directory given to another user is
 * removed with its contents. */
void record_directory_drop(const struct record_directory *directory);
void record_directory_free(struct record_directory *directory);

#endif
