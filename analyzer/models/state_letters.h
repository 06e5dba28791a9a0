/* An explanation of the letters in the names of program states: R RUN, B SYNCH implicit barrier. */
#ifndef HEDDLE_ANALYZER_MODELS_STATE_LETTERS_H
#define HEDDLE_ANALYZER_MODELS_STATE_LETTERS_H

#include "analyzer/models/sequences/pes.h"

/*
 * Collects the letters of one state after the other, each letter once, then makes sentences of them. Aggregates have no
 * letters. `program` and `states` must outlive the letters.
 */
struct state_letters;
struct state_letters *state_letters_create(const struct pes_program *program); /* NULL: out of memory */
void state_letters_add(struct state_letters *letters, const struct pes_states *states, uint32_t state);
/* Makes the text, to be freed, and frees the letters. NULL: no name needs an explanation, or out of memory. */
char *state_letters_end(struct state_letters *letters);

#endif
