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
  char *directory; /* directory of the program, in raw/ */
  int output;      /* the file with the program's output; -1: its output is this process' output */
  char *output_path;
};

struct live_started_as {
  bool hides;         /* the program's output goes into a file, because the caller needs the terminal */
  bool aside;         /* the program's output goes to standard error, because standard output is for a document */
  bool dormant;       /* it measures only on request */
  const char *sample; /* an option of `heddle record`; NULL: none */
};

/*
 * Starts arguments[0], and waits until it records. False: it could not be started, or ended without recording anything;
 * the error says so, or is empty if the reason was printed. live_started_end() in any case.
 */
bool live_start_program(char **arguments, struct live_started_as as, struct live_started *started, struct error *error);

/* The program's process id; 0: unknown. */
long live_started_pid(const struct live_started *started);

/* Waits for the program's end, and prints its output from the file. Returns the exit status for this process: the
 * program's. */
int live_started_end(struct live_started *started);

#endif
