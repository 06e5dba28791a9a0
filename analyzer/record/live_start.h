/* Starts a program under `heddle record --live`, for `heddle live PROGRAM` and `heddle why -- PROGRAM`. */
#ifndef HEDDLE_ANALYZER_RECORD_LIVE_START_H
#define HEDDLE_ANALYZER_RECORD_LIVE_START_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct live_started {
  pid_t record;    /* the process of `heddle record`; 0: it has ended */
  int status;      /* its status, once it has ended */
  char *trace;     /* the trace directory */
  char *directory; /* of the program, in raw/ */
  int output;      /* the file that has what the program writes; -1: it writes where we do */
  char *output_path;
};

struct live_started_as {
  bool hides;         /* what the program writes goes into a file, as the terminal is needed for something else */
  bool aside;         /* what the program writes goes to standard error, as standard output is for a document */
  bool dormant;       /* it measures nothing of its own accord */
  const char *sample; /* an option of `heddle record`; NULL: none */
};

/*
 * Starts arguments[0], and waits until it records. False: it could not be started, or ended without recording anything;
 * the error says so, or is empty where the reason was printed. live_started_end() in any case.
 */
bool live_start_program(char **arguments, struct live_started_as as, struct live_started *started, struct error *error);

/* The program's process id; 0: unknown. */
long live_started_pid(const struct live_started *started);

/* Waits for the program's end, and prints what it has written to a file. Returns the exit status for this process: the
 * program's. */
int live_started_end(struct live_started *started);

#endif
