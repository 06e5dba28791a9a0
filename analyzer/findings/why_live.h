/* `heddle why PID`: the search in a running process. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_LIVE_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_LIVE_H

#include "analyzer/command/print/print.h"

#define WHY_LIVE_LEAST_NS 1000000000u

struct why_live_options {
  const char *command;
  enum print_format format;
  unsigned jobs;
  double threshold; /* percent */
  uint64_t for_ns;  /* the longest time to watch; 0: the usual one */
};

/* Searches and prints; the process is then as it was before. Returns the exit status. */
int why_live(const char *pid, const struct why_live_options *options);

/* Starts the program, searches and prints, and waits for its end. Returns the program's exit status, or EXIT_FAULT. */
int why_live_program(char **arguments, const struct why_live_options *options);

#endif
