/* Values of options: common kinds, numbers, lists of numbers, and times of a run. */
#ifndef HEDDLE_ANALYZER_COMMAND_VALUES_H
#define HEDDLE_ANALYZER_COMMAND_VALUES_H

#include "analyzer/command/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From first to last, both included. */
struct number_range {
  uint32_t first, last;
};

/* Reads `text`, of `length` characters, as a number or a range of numbers below UINT32_MAX. False: it is neither. */
bool number_range_read(const char *text, size_t length, struct number_range *range);

/* The next word of a list with commas, from *at on; *at moves behind the word. False: there is no more word. */
bool list_next(const char **at, const char **word, size_t *length);

enum time_unit { TIME_S, TIME_MS, TIME_US, TIME_NS, TIME_PERCENT };

/* A time of a run, as users write it: `1.5s`, `300ms`, `20us`, `100ns`, `2` (seconds), `25%` (of the run). It is
 * digits / 10^decimals of the unit. */
struct time_word {
  uint64_t digits;
  unsigned decimals;
  enum time_unit unit;
};

/* False: it is not a time, or has more than 18 digits. */
bool time_word_read(const char *text, struct time_word *word);

/*
 * Returns ticks since the run's begin, rounded to the nearest; at most UINT64_MAX. A percentage is of `length`, in
 * ticks; other units need ticks_per_second, which is not 0.
 */
uint64_t time_word_ticks(const struct time_word *word, uint64_t ticks_per_second, uint64_t length);

/* Reads a duration in ns, not a percentage. False: it is none. */
bool time_word_ns(const char *text, uint64_t *ns);

/* Functions for command_option.take. Each puts the value at option->at of its set's structure. */

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
