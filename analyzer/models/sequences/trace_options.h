/* Which sequence of an archive is wanted: what is followed, and how it becomes the components of a vector. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_TRACE_OPTIONS_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * STATE, CONSTRUCT, BOTH: what each thread does. LOCKS: a component a lock, its value is the thread that holds it.
 * COUNTERS: a component for each metric of each location, its value is the last one measured.
 */
enum pes_component_kind { PES_OF_STATE, PES_OF_CONSTRUCT, PES_OF_BOTH, PES_OF_LOCKS, PES_OF_COUNTERS };

/* Locks and counters are not the threads': they exist from the archive's begin to its end. */
static inline bool pes_follows_threads(enum pes_component_kind kind)
{
  return kind < PES_OF_LOCKS;
}

/*
 * How threads become a vector:
 *   THREADS  a component a thread: what it does; Undef before its begin, Finis after its end
 *   COUNTS   a component a value: how many threads have it
 *   ROLES    a component a type of thread (initial, worker, ...): which values its threads have
 *   SELECT   as THREADS, but only the selected ones
 */
enum pes_vector_kind { PES_THREADS, PES_COUNTS, PES_ROLES, PES_SELECT };

struct subscriber;

struct pes_trace_options {
  enum pes_component_kind component;
  enum pes_vector_kind vector;
  double step;              /* COUNTERS: values are rounded down to multiples of it; > 0 */
  const uint32_t *selected; /* SELECT: locations */
  uint32_t selected_count;
  bool again;                    /* the stream will be read more than once */
  const struct subscriber *also; /* takes part in the pass; NULL: none */
};

enum { PES_SEQUENCES_MOST = 2 }; /* that one pass makes */

#endif
