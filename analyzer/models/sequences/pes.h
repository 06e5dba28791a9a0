/*
 * Program execution sequences (PES): what state the whole program was in, from when to when.
 *
 * A program state is a vector of components, such as one a thread; each distinct vector has a number, in the order of
 * first appearance. A record says which program state begins when. The terminal record closes a sequence: it gives the
 * time of the end and is no symbol of the sequence, because the duration of its state is unknown. A sequence that was
 * clipped has an end without a terminal state. So a sequence of n records and an end has n occupancies, which add up to
 * end - first entry. Occupancies may be zero, and neighbours may be equal.
 *
 * Sequences are read as streams, a batch at a time, as often as wanted: memory grows with distinct states alone.
 * Nothing here is safe to be used by two threads at a time.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_PES_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_PES_H

#include "analyzer/models/sequences/program.h"
#include "analyzer/models/sequences/stream.h"
#include "analyzer/models/sequences/states.h"

#endif
