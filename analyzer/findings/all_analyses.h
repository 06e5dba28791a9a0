/*
 * Results of all analyses of one run, from one pass over its events, and the findings that follow from them. All
 * commands use them, so all commands agree on what to look at first.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_ALL_ANALYSES_H
#define HEDDLE_ANALYZER_FINDINGS_ALL_ANALYSES_H

#include "analyzer/findings/findings.h"

/* What to find, and how. Zeros: the usual. */
struct run_analyses_options {
  struct {
    const struct analysis *of; /* one of ALL_ANALYSES; NULL: none */
    const void *options;
  } own[2];
  double threshold;                 /* percent, from which on a kind can be first; 0: the usual one */
  bool own_figures;                 /* no account: the findings have the subjects' own figures */
  const struct analysis_task *also; /* further analyses of the same pass */
  unsigned also_count;
};

struct run_analyses {
  struct analysis_results results;
  struct findings findings;
  void *memory[ANALYSES]; /* the results */
};

/* Analyzes the trace. False: an error. run_analyses_free() in any case; the trace outlives the results. The caller
 * frees the results of options->also. */
bool run_analyses(const struct trace *trace, struct pool *pool, const struct run_analyses_options *options,
                  struct run_analyses *run, struct error *error);
void run_analyses_free(struct run_analyses *run);

#endif
