/* Arguments of steps: words between separators, and exact parts and times. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_ARGUMENTS_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_ARGUMENTS_H

#include "base/error.h"
#include "base/vector.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the word from *at to the next of `stops` or the end of the text, which *at then points to, without blanks
 * around it. Any character may stand in "..."; \" and \\ stand for these two. The caller frees it. NULL: an error,
 * also if the word is empty.
 */
char *words_next(const char **at, const char *stops, struct error *error);

struct words {
  VECTOR(char *) list;
};

/*
 * Reads all words, with `separator` between them, up to the character `end` or the end of the text; at most `most`.
 * False: an error.
 */
bool words_list(const char **at, char separator, char end, size_t most, struct words *words, struct error *error);
/* Skips this character. False: it is not there. */
bool words_expect(const char **at, char stop, struct error *error);

void words_free(struct words *words);

/* Reads a word of digits only. False: it has other characters. */
bool words_number(const char *word, uint64_t *number);

/*
 * Splits "A,B" into two texts; each may be empty. The caller frees `first`, which also holds `second`. False: an error.
 */
bool words_pair(const char *text, char **first, char **second, struct error *error);

/* Parts and times, kept exactly: "0.147", "14.7%", "2.5ms", "31ticks". */

enum quantity_unit { QUANTITY_PLAIN, QUANTITY_PERCENT, QUANTITY_TICKS, QUANTITY_SECONDS };

/* mantissa / divisor: of a whole (PLAIN; PERCENT, with its hundredth), ticks, or seconds. */
struct quantity {
  enum quantity_unit unit;
  uint64_t mantissa, divisor; /* divisor: a power of ten, at most 10^18 */
};

/* Reads a quantity; units are %, ticks, ns, us, ms and s. False: an error. */
bool quantity_parse(const char *text, struct quantity *quantity, struct error *error);

/*
 * Returns the scale that makes ticks: mantissa * scale / divisor. PLAIN and PERCENT are parts of `whole`. False: the
 * quantity has seconds, and ticks_per_second is 0, unknown.
 */
bool quantity_scale(const struct quantity *quantity, uint64_t whole, uint64_t ticks_per_second, uint64_t *scale,
                    struct error *error);

/* Compares exactly: ticks < quantity. The others return the quantity in whole ticks, at most 2^64-1. */
bool quantity_exceeds(const struct quantity *quantity, uint64_t scale, uint64_t ticks);
uint64_t quantity_floor(const struct quantity *quantity, uint64_t scale);
uint64_t quantity_ceiling(const struct quantity *quantity, uint64_t scale);

#endif
