/* How a program is going to be run: its command line and environment, and what was found out about it. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_PLAN_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_PLAN_H

#include "analyzer/commands/record_options.h"
#include "analyzer/launch/look.h"

/* Whether libheddle-gomp.so, which gives libgomp its OMPT, gets into the program, and why not. */
enum record_preload {
  PRELOAD_UNWANTED, /* --no-preload, --off */
  PRELOAD_DONE,
  PRELOAD_UNFIT,  /* the program's loader could not load it, and would say so */
  PRELOAD_ABSENT, /* it is not installed */
  PRELOAD_UNNAMED /* LD_PRELOAD can't hold its path */
};

struct record_plan {
  char **arguments; /* ends with NULL */
  struct environment environment;
  enum record_preload preload;
  char *gomp;        /* the path of libheddle-gomp.so, where it should be */
  struct look *look; /* NULL: no memory for a look */
  bool all_jvms;
  char **made; /* NULL: the arguments are the user's */
  char *agent_option;
};

/* Plans to record arguments[0] into a directory (absolute). Takes what is in options->environment. False: said why not.
 */
bool record_plan_make(struct record_plan *plan, struct record_options *options, char **arguments,
                      const char *directory);
void record_plan_free(struct record_plan *plan);

#endif
