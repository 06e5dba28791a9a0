/* Lists of numbers, as users write them: `0-3,7`. */
#ifndef HEDDLE_ANALYZER_COMMAND_NUMBER_LIST_H
#define HEDDLE_ANALYZER_COMMAND_NUMBER_LIST_H

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

#endif
