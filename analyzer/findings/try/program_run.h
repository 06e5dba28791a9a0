/*
 * Runs a program as an experiment: without input, with its output in files, and with an end.
 *
 * The program has a process group of its own. All of the group is killed when the program has ended, hangs, or when
 * this process gets SIGINT, SIGTERM or SIGHUP.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_TRY_PROGRAM_RUN_H
#define HEDDLE_ANALYZER_FINDINGS_TRY_PROGRAM_RUN_H

#include "base/error.h"

struct program_run {
  char *const *arguments;
  const char *executable;      /* NULL: arguments[0], which is found in PATH */
  char *const *environment;    /* NULL: this process's */
  const char *directory;       /* where it runs; NULL: here */
  int input;                   /* a descriptor; 0: /dev/null */
  const char *output, *errors; /* files, made anew, from here; errors NULL: the same file */
  double limit;                /* s; 0: none */
};

struct program_end {
  int status;     /* waitpid()'s */
  double seconds; /* from before its start to its end */
  bool hung;      /* the limit was reached, and it was killed */
};

/* False: it could not be started, or this process was interrupted: then these signals stay blocked, and it should end.
 */
bool program_run(const struct program_run *run, struct program_end *end, struct error *error);

/* From now on SIGINT, SIGTERM and SIGHUP wait until program_run() or program_is_interrupted() sees them: a caller that
 * has something to tidy up. */
void program_hold_signals(void);

/* True, with an error: such a signal waits. */
bool program_is_interrupted(struct error *error);

/* "ended with status 3", "was ended by signal 6", "did not end in time"; NULL: it succeeded. */
const char *program_failure(const struct program_end *end, char text[64]);

#endif
