/* The words of a step's argument: names and numbers between separators. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_WORDS_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_WORDS_H

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

#endif
