/*
 * Program execution sequences (PES): the state of the whole program over time.
 *
 * A program state is a vector of components, such as one a thread; each distinct vector has a number, in the order of
 * first appearance. A record says when a program state begins. The terminal record closes a sequence. It gives the time
 * of the end and is no symbol of the sequence, because the duration of its state is unknown. A clipped sequence has an
 * end without a terminal state. So a sequence of n records and an end has n occupancies, which add up to end - first
 * entry. Occupancies may be zero, and neighbours may be equal.
 *
 * Sequences are read as streams, a batch at a time, any number of times: memory grows only with distinct states. Only
 * one thread at a time may use an object.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_PES_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_PES_H

#include "analyzer/models/sequences/program.h"
#include "analyzer/models/sequences/states.h"
#include "analyzer/models/sequences/stream.h"

/*
 * Opens a file of any form. "-" is standard input. A file that cannot be read twice (a pipe) is first copied to a
 * temporary file. NULL: an error.
 */
struct pes_stream *pes_open(const char *path, struct error *error);

/*
 * Reads the whole stream from its beginning and writes it. "-" is standard output. False: an error, and no file is
 * left.
 */
bool pes_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error);

#endif
