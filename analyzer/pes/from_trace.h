/* The sequence of an OTF2 archive: one record whenever some component changes. */
#ifndef HEDDLE_ANALYZER_PES_FROM_TRACE_H
#define HEDDLE_ANALYZER_PES_FROM_TRACE_H

#include "analyzer/pes/stream.h"
#include "analyzer/trace/definitions.h"

/*
 * What is followed of each thread; or the locks, of which each is a component: who has it; or the metrics (counters) of
 * each location: the value that was measured last.
 */
enum pes_component_kind { PES_OF_STATE, PES_OF_CONSTRUCT, PES_OF_BOTH, PES_OF_LOCKS, PES_OF_COUNTERS };

/* Locks and counters are not the threads': they are there from the archive's beginning to its end. */
static inline bool pes_follows_threads(enum pes_component_kind kind)
{
  return kind < PES_OF_LOCKS;
}

/*
 * How threads become a vector:
 *   THREADS  a component a thread: what it does; Undef before it begins, Finis after it has ended
 *   COUNTS   a component a value: how many threads are in it
 *   ROLES    a component a type of thread (initial, worker, ...): which values its threads have, not how many nor which
 *   SELECT   as THREADS, of those that are named alone
 */
enum pes_vector_kind { PES_THREADS, PES_COUNTS, PES_ROLES, PES_SELECT };

struct pes_trace_options {
  enum pes_component_kind component;
  enum pes_vector_kind vector;
  double step;              /* COUNTERS: values are rounded down to multiples of it; > 0 */
  const uint32_t *selected; /* SELECT: locations */
  uint32_t selected_count;
};

/*
 * The trace outlives the stream. Reading it again reads the archive again. The program's parameters are the OMP_*
 * settings of the run, as far as the archive has them. NULL: an error.
 */
struct pes_stream *pes_from_trace(const struct trace *trace, const struct pes_trace_options *options,
                                  struct trace_error *error);

#endif
