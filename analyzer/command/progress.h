/* The progress of a long command: one line on stderr, if that is a terminal; the line disappears at the end. */
#ifndef HEDDLE_ANALYZER_COMMAND_PROGRESS_H
#define HEDDLE_ANALYZER_COMMAND_PROGRESS_H

#include <stdbool.h>

struct progress {
  const char *command;
  unsigned step, steps;
  bool shown;
};

/* `steps`: the number of calls of progress_step() that follow. */
struct progress progress_begin(const char *command, unsigned steps);

/* Shows the next step: "heddle report: 3 of 10: imbalance". Always true, so that && can join it with the steps. */
bool progress_step(struct progress *progress, const char *what);

/* Removes the line. Must precede any other output on stderr. */
void progress_end(struct progress *progress);

#endif
