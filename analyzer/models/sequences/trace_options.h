/* Options of a sequence of an archive: components, and how they make a vector. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_TRACE_OPTIONS_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * STATE, CONSTRUCT, BOTH: the activity of each thread. LOCKS: a component a lock, whose value is the thread that holds
 * it. COUNTERS: a component for each metric of each location, whose value is the last measurement.
 */
enum pes_component_kind { PES_OF_STATE, PES_OF_CONSTRUCT, PES_OF_BOTH, PES_OF_LOCKS, PES_OF_COUNTERS };

/* True if components follow threads. Locks and counters exist from the archive's begin to its end. */
static inline bool pes_follows_threads(enum pes_component_kind kind)
{
  return kind < PES_OF_LOCKS;
}

/*
 * Vector of threads:
 *   THREADS  a component a thread: its activity; Undef before its begin, Finis after its end
 *   COUNTS   a component a value: the number of threads that have it
 *   ROLES    a component a type of thread (initial, worker, ...): the values of its threads
 *   SELECT   as THREADS, only for the selected ones
 */
enum pes_vector_kind { PES_THREADS, PES_COUNTS, PES_ROLES, PES_SELECT };

struct subscriber;

struct pes_trace_options {
  enum pes_component_kind component;
  enum pes_vector_kind vector;
  double step;              /* COUNTERS: values are rounded down to multiples of it; > 0 */
  const uint32_t *selected; /* SELECT: locations */
  uint32_t selected_count;
  bool again;                    /* the stream is read more than once */
  const struct subscriber *also; /* additional subscriber of the pass; NULL: none */
};

enum { PES_SEQUENCES_MOST = 2 }; /* sequences of one pass */

#endif
