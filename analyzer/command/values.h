/* Functions for the usual options: each puts the value at option->at of its set's structure. Numbers in texts. */
#ifndef HEDDLE_ANALYZER_COMMAND_VALUES_H
#define HEDDLE_ANALYZER_COMMAND_VALUES_H

#include "analyzer/command/command.h"

#include <stdbool.h>

/* bool: the option was given. */
int option_flag(const struct option_given *given, void *into);

/* const char *: the value, not copied. */
int option_text(const struct option_given *given, void *into);

/* uint64_t: a whole number from option->least to option->most. */
int option_number(const struct option_given *given, void *into);

/* unsigned, or an enum: the index of the value in option->words, from 0. */
int option_word(const struct option_given *given, void *into);

/* bool: the value is the second of the two option->words. */
int option_second(const struct option_given *given, void *into);

/* Reports the words that are allowed; returns EXIT_USAGE. */
int option_no_word(const struct option_given *given);

/* A whole number from least to most. False: it is not one. */
bool value_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* A number that is finite and not negative. */
bool value_real(const char *text, double *number);

#endif
