/*
 * Source code from a specification: a logging function for each declared event, with typed parameters, on top of
 * heddle.h, the Fortran module and the Java class. The same specification gives the same bytes.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_GENERATE_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_GENERATE_H

#include "analyzer/analyses/intervals/spec.h"
#include "analyzer/exchange/generate/languages.h"

#include <stdio.h>

struct generate_how {
  enum generate_language language;
  const char *package; /* of Java; NULL: none */
};

/*
 * Whether the language can have these events, by a checked specification. False: an error with its place: a text, a
 * name that clashes, too many attributes.
 */
bool generate_check(const struct spec *spec, const struct generate_how *how, struct error *error);

/* Writes the code; after generate_check(). The caller looks at ferror(). */
void generate_write(const struct spec *spec, const struct generate_how *how, FILE *file);

#endif
