/* Sequences for the tests of what works on them, and their text. */
#ifndef HEDDLE_TESTS_ANALYZER_SEQUENCE_H
#define HEDDLE_TESTS_ANALYZER_SEQUENCE_H

#include "analyzer/models/sequences/pes.h"

/*
 * Two dining philosophers, the worked example of Ganugapati's thesis (example 3.1.1): 20 records from 1550 to 1760,
 * where A1R1 is the terminal state.
 */
struct pes_stream *sequence_dining(void);

/*
 * A sequence of one component whose values are the letters A to Z. `letters` are its states, each followed by its ticks
 * if they are not one: "AB5C0". Begins at 100. `terminal` is a letter, or 0: unknown.
 */
struct pes_stream *sequence_letters(const char *letters, char terminal);

/*
 * What a stream delivers, read from its beginning: "A2T@1550 ET@1560 -> A1R1@1760"; an unknown terminal state is "?".
 * The caller frees it.
 */
char *sequence_text(struct pes_stream *stream);

/* "10 10 15": the occupancies. The caller frees it. */
char *sequence_occupancies(struct pes_stream *stream);

/*
 * The steps of a list on a stream, which is taken over. The steps must be good. It was read once, so aggregates know
 * what they stand for, and who reads it again sees whether it is still the same.
 */
struct pes_stream *sequence_transformed(const char *list, struct pes_stream *source);

/* Reads the stream, compares, and closes it. */
void expect_sequence(struct pes_stream *stream, const char *expected);

#endif
