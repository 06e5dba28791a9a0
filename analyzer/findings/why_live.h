/* Search in a running process: `heddle why PID`. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_LIVE_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_LIVE_H

#include "analyzer/command/analysis.h"
#include "analyzer/command/print/print.h"
#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/why/sums.h"
#include "analyzer/findings/why/why.h"
#include "analyzer/findings/why_readings.h"
#include "analyzer/record/launch/live_request.h"
#include "base/vector.h"

/* What a search has inserted into a running process: before, during and after. */

struct why_inserted {
  VECTOR(struct why_inserted_step) steps;
};

struct why_inserted_step {
  const char *when; /* before, during, after */
  unsigned on;      /* bits of launch/live_insert.h */
  uint64_t begin_ns, end_ns;
};

/* A step begins, and the one before ends. False: no memory. */
bool why_inserted_add(struct why_inserted *inserted, const char *when, unsigned on);
void why_inserted_put(const struct analysis_run *run, const struct why_inserted *inserted);

/* The search in short stretches of a trace of a running process: for what needs an order of events. */

/* What is searched, and how. */
struct why_tracing {
  const char *command; /* for messages */
  const struct live_process *process;
  struct why_readings *readings; /* go on meanwhile */
  struct insert *insert;
  struct why_inserted *inserted;
  uint64_t part_ns;
  double threshold;
};

struct why_traced {
  struct trace *trace; /* NULL: there is no tree */
  struct run_analyses all;
  struct why why;
};

/*
 * Traces stretches, and searches them, until the tree is sure, or WHY_PARTS_MOST parts are traced, or searching more
 * would take longer than these are traced. Tracing is then off again. Without a tree: no thread wrote events, or the
 * search was interrupted. False: an error, with an empty message if it was printed. why_traced_free() in any case.
 */
bool why_traced_take(const struct why_tracing *tracing, struct pool *pool, struct why_traced *traced,
                     struct error *error);
void why_traced_free(struct why_traced *traced);

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
