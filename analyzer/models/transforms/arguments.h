/* The words of a step's argument: names and numbers between separators. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_ARGUMENTS_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_ARGUMENTS_H

#include "base/error.h"
#include "base/vector.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The word from *at to the next of `stops` or the end of the text, which *at then points to. Blanks around it are not
 * part of it. In "..." any character may stand, \" and \\ for these two. The caller frees it. NULL: an error, also when
 * the word is empty.
 */
char *words_next(const char **at, const char *stops, struct error *error);

struct words {
  VECTOR(char *) list;
};

/* All words up to the character `end` or the end of the text, with `separator` between them; at most `most`. */
bool words_list(const char **at, char separator, char end, size_t most, struct words *words, struct error *error);
/* Goes over that character. False: it is not there. */
bool words_expect(const char **at, char stop, struct error *error);

void words_free(struct words *words);

/* Digits and nothing else. */
bool words_number(const char *word, uint64_t *number);

/* "A,B": two texts, either of which may be empty; the caller frees `first`, which both are parts of. */
bool words_pair(const char *text, char **first, char **second, struct error *error);

/* Parts and times as users write them, kept exactly: "0.147", "14.7%", "2.5ms", "31ticks". */

enum quantity_unit { QUANTITY_PLAIN, QUANTITY_PERCENT, QUANTITY_TICKS, QUANTITY_SECONDS };

/* mantissa / divisor: of a whole (PLAIN; PERCENT, with its hundredth), ticks, or seconds. */
struct quantity {
  enum quantity_unit unit;
  uint64_t mantissa, divisor; /* divisor: a power of ten, at most 10^18 */
};

/* Units are %, ticks, ns, us, ms and s. */
bool quantity_parse(const char *text, struct quantity *quantity, struct error *error);

/*
 * In ticks, as a fraction: mantissa * scale / divisor. `whole` is what PLAIN and PERCENT are a part of. False: seconds
 * are asked for, and ticks_per_second is 0, unknown.
 */
bool quantity_scale(const struct quantity *quantity, uint64_t whole, uint64_t ticks_per_second, uint64_t *scale,
                    struct error *error);

/* Exactly: is ticks < quantity? And the quantity in whole ticks, not more than 2^64-1. */
bool quantity_exceeds(const struct quantity *quantity, uint64_t scale, uint64_t ticks);
uint64_t quantity_floor(const struct quantity *quantity, uint64_t scale);
uint64_t quantity_ceiling(const struct quantity *quantity, uint64_t scale);

#endif
