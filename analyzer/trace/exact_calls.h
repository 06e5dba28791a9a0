/*
 * The exact calls of a run (`heddle record --calls`): how often each function was called on each way, and how long its
 * calls took. They are an archive of their own, calls.otf2, beside the trace's, with the same clock and locations. Its
 * functions and contexts have the form of samples.h, so the same code can show both. Any thread may read the
 * definitions, once they are there.
 */
#ifndef HEDDLE_ANALYZER_TRACE_EXACT_CALLS_H
#define HEDDLE_ANALYZER_TRACE_EXACT_CALLS_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/samples.h"
#include "common/raw/archive_names.h"

#define EXACT_CALLS_DURATIONS 64u

struct exact_calls {
  struct samples *paths; /* functions and contexts, whose lines are those in which the functions begin; no samples */
  struct ref_map attribute_of; /* for reading */
  /* Calls of the run that are not among the contexts', or not as they seem: ARCHIVE_CALLS_... */
  uint64_t full, deep, not_measured, left, unmatched, on_virtual, damaged;
};

/* The calls of one context on one location. Times are ticks; inclusive is self, blocked, and what is called. */
struct exact_calls_sums {
  uint32_t context;
  uint32_t line;           /* line of the call, in paths->lines; TRACE_NONE: unknown, or there are several */
  uint64_t calls, running; /* running: the part that had not returned when the thread ended */
  uint64_t inclusive, self, blocked;
  uint64_t shortest, longest;                /* of the calls that returned; 0: none did */
  uint64_t durations[EXACT_CALLS_DURATIONS]; /* calls that returned, by duration: [k] below 2^k, not below 2^(k-1) */
};

/* NULL: an error, or *none: the run was recorded without calls. */
struct exact_calls *exact_calls_open(const struct trace *trace, bool *none, struct error *error);
void exact_calls_close(struct exact_calls *calls); /* NULL is allowed */

/* False: reading ends. */
typedef bool exact_calls_visitor(void *context, const struct exact_calls_sums *sums);
/* Visits the contexts of a location of the trace, parents first. False: an error. Any number of threads at once. */
bool exact_calls_read(const struct exact_calls *calls, const struct trace_location *location,
                      exact_calls_visitor *visitor, void *context, struct error *error);

/* Inside of exact_calls*.c: what attributes mean. */

enum exact_calls_attribute {
#define X(constant, ...) EXACT_##constant,
  CALL_ATTRIBUTES(X)
#undef X
      EXACT_DURATION /* + the power of two */
};

#endif
