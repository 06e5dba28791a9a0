/* The search in short stretches of a trace of a running process: for what needs an order of events. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_TRACED_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_TRACED_H

#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/why/sure.h"
#include "analyzer/findings/why/why.h"
#include "analyzer/findings/why_inserted.h"
#include "analyzer/findings/why_readings.h"
#include "analyzer/record/launch/live_insert.h"

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

#endif
