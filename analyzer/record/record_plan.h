/* Plan of a recorded run: the command line and environment of the program, and findings about the program. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_PLAN_H
#define HEDDLE_ANALYZER_RECORD_RECORD_PLAN_H

#include "analyzer/record/launch/program_libraries.h"
#include "analyzer/record/record_options.h"

/* Preloading of libheddle-gomp.so, the OMPT provider for libgomp, or the reason against it. */
enum record_preload {
  PRELOAD_UNWANTED, /* --no-preload, --off */
  PRELOAD_DONE,
  PRELOAD_UNFIT,  /* the program's loader cannot load it, and would print an error */
  PRELOAD_ABSENT, /* it is not installed */
  PRELOAD_UNNAMED /* LD_PRELOAD can't hold its path */
};

struct record_plan {
  char **arguments; /* ends with NULL */
  struct environment environment;
  kept_places keep;
  struct record_calls calls;
  enum record_preload preload;
  char *gomp;                          /* the path of libheddle-gomp.so in the installation */
  struct program_libraries *libraries; /* NULL: out of memory */
  bool waits;                          /* libheddle-pthread.so is preloaded */
  bool all_jvms;
  bool java_samples; /* the agent samples Java threads */
  char **made;       /* NULL: the arguments are the user's */
  char *agent_option;
};

/*
 * Plans to record arguments[0] into a directory (absolute path). Takes over options->environment. May make the period
 * of options->sample longer, as Java's agent needs it. False: an error, after a message on stderr. record_plan_free()
 * frees the plan.
 */
bool record_plan_make(struct record_plan *plan, struct record_options *options, char **arguments,
                      const char *directory);
void record_plan_free(struct record_plan *plan);

#endif
