/* When a recorded process' threads had a processor, as far as the kernel tells: for `heddle record` and `heddle
 * attach`. */
#ifndef HEDDLE_ANALYZER_RECORD_SWITCHES_H
#define HEDDLE_ANALYZER_RECORD_SWITCHES_H

#include "analyzer/record/launch/kernel_events.h"

struct switches {
  int trace;                    /* the descriptor of its directory, borrowed */
  const char *shown;            /* its name in messages */
  struct kernel_events *events; /* NULL: the kernel does not allow it */
  bool samples_alone;           /* they are no switches, but samples */
};

/* Ends and frees both. Prints a message of the command if the log could not be written. */
void switches_end(struct switches *switches, const char *command);

#endif
