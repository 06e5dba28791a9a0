/* What recording took of the threads' time, and its budget (`heddle record --budget`). */
#ifndef HEDDLE_ANALYZER_ANALYSES_OVERHEAD_BUDGET_H
#define HEDDLE_ANALYZER_ANALYSES_OVERHEAD_BUDGET_H

#include "analyzer/trace/pass/pass.h"

struct budget {
  const char *text;     /* as in the archive, such as `5 %` or `none`; NULL: the archive has none */
  bool several;         /* processes have other budgets: `text` is that of the first one */
  wide_total recording; /* ticks of all threads of processes with a budget */
  wide_total lifetimes; /* ticks */
  uint32_t over;        /* threads whose recording took more than their budget, which also has a burst */
};

/*
 * Measures in a pass of either kind; its result is a struct budget. The archive has the cost of recording as one sum a
 * thread, so traces that are restricted in time have no `text`.
 */
extern const struct analysis budget_analysis;

/* The budget of the location's process, as in the archive; NULL: the archive has none. */
const char *overhead_budget_of(const struct trace *trace, uint32_t location);
/* True if the location's process was to record all instances of a construct (`heddle record --keep`). */
bool overhead_budget_keeps(const struct trace *trace, uint32_t location, uint32_t construct);
/* Ticks that recording may take on a thread that lives so long, with the burst at its begin. 0: there is no budget. */
uint64_t overhead_budget_ticks(const struct trace *trace, uint32_t location, uint64_t lifetime);

#endif
