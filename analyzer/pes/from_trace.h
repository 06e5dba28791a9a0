/* The sequence of an OTF2 archive: one record whenever some component changes. */
#ifndef HEDDLE_ANALYZER_PES_FROM_TRACE_H
#define HEDDLE_ANALYZER_PES_FROM_TRACE_H

#include "analyzer/pass/pass.h"
#include "analyzer/pes/stream.h"

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
  bool again; /* it will be read more than once */
};

/*
 * The archive is read by the pool, once, while the stream is; or before, and the records are kept in a temporary file,
 * if components are not known beforehand (COUNTS, locks, counters) or the stream is to be read again. Reading it again
 * else reads the archive again. Trace and pool outlive the stream. The program's parameters are the OMP_* settings of
 * the run, as far as the archive has them. NULL: an error.
 */
struct pes_stream *pes_from_trace(const struct trace *trace, struct pool *pool, const struct pes_trace_options *options,
                                  struct error *error);

/*
 * Up to PES_TAKEN_MOST sequences in a pass of someone else, of the same component, kept in temporary files. Those that
 * have more states than `states_most` (0: any number) are dropped as soon as they do. NULL: an error.
 */
enum { PES_TAKEN_MOST = 2 };
struct pes_taker;
struct pes_taker *pes_taker_begin(const struct trace *trace, const struct pes_trace_options *options, unsigned count,
                                  uint32_t states_most, struct error *error);
const struct subscriber *pes_taker_subscriber(const struct pes_taker *taker);

/* After the pass: a stream for each of the options, or NULL if it was dropped. Frees the taker. False: an error. */
bool pes_taker_end(struct pes_taker *taker, struct pes_stream **streams, struct error *error);

/* Instead of that, after a pass that failed: fills the error if it was for a sequence. NULL is allowed. */
void pes_taker_drop(struct pes_taker *taker, struct error *error);

#endif
