/* Sequences for the tests of models: the worked example of the thesis, and sequences with states of one letter. */
#ifndef HEDDLE_TESTS_ANALYZER_EXAMPLE_H
#define HEDDLE_TESTS_ANALYZER_EXAMPLE_H

#include "analyzer/models/markov/markov.h"

/* Two dining philosophers: values T, A1, A2, E, R1, R2; the program has no records yet. */
struct pes_program *example_philosophers(void);

/* The number of a state by its name, "R1A1", added if it is new. */
uint32_t example_state(const struct pes_program *program, struct pes_states *states, const char *name);

/*
 * "A2T 1550; ET 1560; ...; A1R1 1760": names and entries; the last one is the terminal record, or "end 1760". A name
 * that is no vector is an aggregate, which `states` has already (NULL: there are none). Takes over both.
 */
struct pes_stream *example_open(struct pes_program *program, struct pes_states *states, const char *text);

/* The 21 records of the thesis' example 3.1.1. */
struct pes_stream *example_thesis(void);

/*
 * A program with one component that has `count` values A, B, ... Its records have these letters, each lasting ticks[i].
 * It ends without a terminal state if `terminal` is 0, else with this letter.
 */
struct pes_stream *example_letters(unsigned count, const char *letters, const uint64_t *ticks, char terminal);

/* The model of a stream, which is closed; fails the test if there is none. */
struct markov_model *example_model(struct pes_stream *stream, const struct markov_options *options);

/* The number of a state in a model by its name; fails the test if there is none. */
uint32_t example_find(const struct markov_model *model, const char *name);

#endif
