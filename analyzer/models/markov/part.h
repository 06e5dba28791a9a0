/* Consecutive records of a sequence as a sequence of their own. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_PART_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_PART_H

#include "analyzer/models/sequences/pes.h"

/*
 * `records` records from number `first` on, counted from 0, with the source's program and states. Its end is the entry
 * of the record behind it; no terminal state is known then. The source outlives it; closing the part leaves it open.
 * Only one of them is read at a time. NULL: no memory.
 */
struct pes_stream *markov_part(struct pes_stream *source, uint64_t first, uint64_t records, struct error *error);

#endif
