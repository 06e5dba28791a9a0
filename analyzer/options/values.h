/* What takes the usual options: each puts the value at option->at of its set's structure. Numbers as text. */
#ifndef HEDDLE_ANALYZER_OPTIONS_VALUES_H
#define HEDDLE_ANALYZER_OPTIONS_VALUES_H

#include "analyzer/options/command.h"

#include <stdbool.h>

/* bool: it was given. */
int option_flag(const struct option_given *given, void *into);

/* const char *: the value as it is. */
int option_text(const struct option_given *given, void *into);

/* uint64_t: a whole number from option->least to option->most. */
int option_number(const struct option_given *given, void *into);

/* unsigned, or an enum: which of option->words it is, counted from 0. */
int option_word(const struct option_given *given, void *into);

/* bool: it is the second of option->words, which are two. */
int option_second(const struct option_given *given, void *into);

/* Says which words there are; returns EXIT_USAGE. */
int option_no_word(const struct option_given *given);

/* A whole number from least to most. False: it is none. */
bool value_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* A number that is finite and not negative. */
bool value_real(const char *text, double *number);

#endif
