/* What a long command is doing, in one line on a terminal's stderr that is gone when it is done; nothing elsewhere. */
#ifndef HEDDLE_ANALYZER_COMMANDS_PROGRESS_H
#define HEDDLE_ANALYZER_COMMANDS_PROGRESS_H

#include <stdbool.h>

struct progress {
  const char *command;
  unsigned step, steps;
  bool shown;
};

/* `steps`: how often progress_step() will be called. */
struct progress progress_begin(const char *command, unsigned steps);

/* The next step begins: "heddle report: 3 of 10: imbalance". Always true, so that it can stand between two steps. */
bool progress_step(struct progress *progress, const char *what);

/* Takes the line away; before anything else is said on stderr. */
void progress_end(struct progress *progress);

#endif
