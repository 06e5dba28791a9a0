/* Command line of heddle-convert. */
#ifndef HEDDLE_OTF2_CONVERT_OPTIONS_H
#define HEDDLE_OTF2_CONVERT_OPTIONS_H

#include "base/error.h"
#include "otf2-convert/plan/plan.h"
#include "otf2-convert/symbols/module_search.h"

/* Exit status of a process, as `heddle record` got it: a killed process cannot record its end. */
struct exit_status {
  uint64_t pid; /* 0: none */
  bool killed;  /* by a signal; else it exited */
  unsigned number;
  uint64_t ns; /* CLOCK_MONOTONIC, at its end; 0: unknown */
};

struct options {
  const char *trace;
  const char *output; /* NULL: the trace directory */
  unsigned jobs;      /* 0: one per processor */
  bool keep_raw;
  bool remove_raw;
  bool quiet;
  enum plan_live live;
  struct exit_status exit_status;
  const char *roots[MODULE_ROOTS_MOST]; /* module_search.h; ends with NULL if there are fewer */
};

enum options_result {
  OPTIONS_TAKEN,    /* there is a trace to convert */
  OPTIONS_ANSWERED, /* the help or the version is printed */
  OPTIONS_WRONG     /* the error says what is wrong */
};

/* Reads the command line. The strings of `options` belong to `arguments`. */
enum options_result options_parse(struct options *options, int count, char **arguments, struct error *error);

/* Stores the exit status and the time of the end in the newest process with this id. Nothing is stored if the process
 * recorded its own end and was not killed later. False: out of memory. */
bool exit_status_note(struct plan *plan, const struct exit_status *exit_status);

#endif
