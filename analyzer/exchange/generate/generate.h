/*
 * Source code from a specification: a logging function for each declared event, with typed parameters, on top of
 * heddle.h, the Fortran module and the Java class. The same specification gives the same bytes.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_GENERATE_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_GENERATE_H

#include "analyzer/analyses/intervals/spec.h"
#include "analyzer/exchange/generate/languages.h"
#include "analyzer/trace/definitions.h"

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

/* A specification that a process was built with. Texts are the trace's. */
struct spec_built {
  uint32_t process;
  const char *name;
  const char *hash; /* followed by a blank and Heddle's version */
  bool named;       /* it has the specification's name */
  bool fits;        /* named, and the hash is the same */
};

/* Calls `see` for each of them. */
void spec_for_each_built(const struct trace *trace, const struct spec *spec,
                         void (*see)(void *context, const struct spec_built *built), void *context);

/*
 * False: a process was built with another version of the specification, and the error says which one, and what to do.
 * True also if no process says what it was built with.
 */
bool spec_fits(const struct trace *trace, const struct spec *spec, struct error *error);

#endif
