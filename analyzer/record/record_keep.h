/*
 * The places of `record --keep`. The recorder knows addresses alone, so the code of source lines, files and functions
 * is found before the program starts, by the converter, in the program and the libraries that it is linked with.
 */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_KEEP_H
#define HEDDLE_ANALYZER_RECORD_RECORD_KEEP_H

#include "analyzer/record/launch/environment.h"
#include "analyzer/record/launch/program_libraries.h"
#include "base/vector.h"

#include <stdbool.h>

struct kept_place {
  char *text;   /* as the user wrote it */
  char *ranges; /* as HEDDLE_KEEP has them; NULL: no code was found */
};

typedef VECTOR(struct kept_place) kept_places; /* {0} has none */

/* Adds the places of a list with semicolons between them. False: out of memory. */
bool record_keep_add(kept_places *places, const char *list);
void record_keep_free(kept_places *places);

/* Who looks for code: the option that the user gave, for messages, and the converter's. */
struct place_search {
  const char *option, *of_converter;
};
/* Finds the code of all places. False: an error, after a message. */
bool record_keep_find(kept_places *places, const struct look *look);
/* The same of others than --keep's. */
bool record_places_find(kept_places *places, const struct look *look, const struct place_search *search);
/* Sets HEDDLE_KEEP, if there are places. */
void record_keep_set(const kept_places *places, struct environment *environment);

/* Names the source lines on stderr that have no code. program: as the user wrote it. */
void record_keep_warn_before(const kept_places *places, const char *program);
/* After the conversion into a directory: names those of the other places that were not recorded either. */
void record_keep_warn_after(const kept_places *places, const char *path, const char *program);

#endif
