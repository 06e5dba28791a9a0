/*
 * Sequences that are made in somebody else's pass. Their records are stored in temporary files until the pass is over.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_COLLECTOR_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_COLLECTOR_H

#include "analyzer/models/sequences/stream.h"
#include "analyzer/models/sequences/trace_options.h"
#include "analyzer/trace/pass/pass.h"

struct pes_collector;

/*
 * For `count` sequences, at most PES_SEQUENCES_MOST, all of the same component. A sequence with more than `states_most`
 * states (0: no limit) is dropped during the pass. The trace outlives the collector; options are copied. NULL: an
 * error.
 */
struct pes_collector *pes_collector_create(const struct trace *trace, const struct pes_trace_options *options,
                                           unsigned count, uint32_t states_most, struct error *error);
const struct subscriber *pes_collector_subscriber(const struct pes_collector *collector);

/* After the pass: a stream for each of the options; NULL for a dropped one. Frees the collector. False: an error. */
bool pes_collector_finish(struct pes_collector *collector, struct pes_stream **streams, struct error *error);

/* After a failed pass: fills the error if a sequence caused the failure. */
void pes_collector_explain(const struct pes_collector *collector, struct error *error);
/* Frees the collector after a failed pass, and explains. NULL is allowed; `error` NULL: it is not wanted. */
void pes_collector_cancel(struct pes_collector *collector, struct error *error);

#endif
