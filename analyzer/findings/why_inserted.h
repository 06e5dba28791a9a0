/* What a search has inserted into a running process: before, during and after. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_INSERTED_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_INSERTED_H

#include "analyzer/command/analysis.h"
#include "base/vector.h"

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

#endif
