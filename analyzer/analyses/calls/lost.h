/* Samples that were taken, or due, and are not in samples.otf2, by reason, as the archive says. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_LOST_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_LOST_H

#include "analyzer/trace/definitions.h"

struct calls_lost {
  const char *key;    /* for programs: "threads_not_recorded" */
  const char *reason; /* for people: "of threads that were not recorded" */
  uint64_t count;     /* 0: none was lost so */
};

enum { CALLS_REASONS = 3 };

/* Fills in all reasons; returns the number of lost samples. */
uint64_t calls_lost_find(const struct trace *trace, struct calls_lost lost[CALLS_REASONS]);

/* The number of samples in samples.otf2, of all threads and triggers, as the archive says. */
uint64_t calls_taken(const struct trace *trace);

#endif
