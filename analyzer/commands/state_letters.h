/* What the letters stand for in the names of program states: R RUN, B SYNCH implicit barrier. */
#ifndef HEDDLE_ANALYZER_COMMANDS_STATE_LETTERS_H
#define HEDDLE_ANALYZER_COMMANDS_STATE_LETTERS_H

#include "analyzer/pes/pes.h"

/*
 * Collects the letters of one state after the other, then makes sentences of them. All letters are kept only once;
 * aggregates have none. `program` and `states` outlive it.
 */
struct state_letters;
struct state_letters *state_letters_create(const struct pes_program *program); /* NULL: no memory */
void state_letters_add(struct state_letters *letters, const struct pes_states *states, uint32_t state);
/* Frees the letters. The caller frees the text. NULL: names of states need no explanation, or no memory. */
char *state_letters_end(struct state_letters *letters);

#endif
