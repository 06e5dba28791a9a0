/*
 * Waits by the methods that called the place where a thread waited, as far as the trace has callers (--java stack=N).
 * One writer.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_CALLERS_CALLERS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_CALLERS_CALLERS_H

#include "base/hash.h"
#include "base/statistics.h"
#include "base/vector.h"

struct callers_waits {
  uint32_t group;      /* what the user sums by: a lock, a place */
  uint32_t region;     /* where the threads waited */
  const char *callers; /* "app.LU.run (LU.java:40) < app.LU.main (LU.java:12)"; the trace's */
  uint64_t times;
  wide_total ticks;
  uint64_t longest; /* ticks */
};

struct callers {
  VECTOR(struct callers_waits) list;
  struct hash index;
};

/* Adds one wait of so many ticks; without callers (NULL) nothing. False: no memory. */
bool callers_add(struct callers *callers, uint32_t group, uint32_t region, const char *text, uint64_t ticks);

/* Adds the rows of `from` to the rows of the same group, place and callers. False: no memory. */
bool callers_merge(struct callers *into, const struct callers *from);

/* Gives groups new numbers: `numbers` by old number, TRACE_NONE: drop it. */
void callers_renumber(struct callers *callers, const uint32_t *numbers);

/* By group, then by time, the longest first. Nothing can be added then, nor merged into it. */
void callers_order(struct callers *callers);

/* Adds the rows of `from`, whose groups get numbers from `first` on. False: no memory. */
bool callers_append(struct callers *callers, const struct callers *from, uint32_t first);

void callers_free(struct callers *callers);

#endif
