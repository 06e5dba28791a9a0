/*
 * Parallel efficiency of a run and of its parallel regions, from the account: work / what there was. It is the product
 * of three factors, as POP has them; docs/why.md has the formulas.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_EFFICIENCY_H
#define HEDDLE_ANALYZER_FINDINGS_EFFICIENCY_H

#include "analyzer/command/analysis.h"
#include "analyzer/findings/all_analyses.h"

/* Percent; each is 100 if nothing is lost. */
struct efficiency {
  double parallel;                         /* the product of: */
  double balance, serialization, transfer; /* own work; waits for others; the runtime and the system */
};

/* From ticks by kind of the account. */
struct efficiency efficiency_of(const unsigned __int128 ticks[ACCOUNT_KINDS]);

/* Prints the run's in a sentence; for programs an object `efficiency`, and a table `regions`. Nothing if the run has no
 * account. False: out of memory. */
bool efficiency_show(const struct analysis_run *run, const struct run_analyses *all);

#endif
