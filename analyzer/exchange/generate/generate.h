/*
 * Source code from a specification: a logging function for each declared event, with typed parameters. It builds on
 * heddle.h, the Fortran module and the Java class. The same specification gives the same bytes.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_GENERATE_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_GENERATE_H

#include "analyzer/analyses/intervals/spec.h"
#include "analyzer/exchange/generate/languages.h"
#include "analyzer/trace/definitions.h"

#include <stdio.h>

struct generate_options {
  enum generate_language language;
  const char *package; /* of Java; NULL: none */
};

/*
 * True if the language can express the events of a checked specification. False: an error with its place: a text, a
 * name that clashes, too many attributes.
 */
bool generate_check(const struct spec *spec, const struct generate_options *options, struct error *error);

/* Writes the code, after generate_check(). The caller checks ferror(). */
void generate_write(const struct spec *spec, const struct generate_options *options, FILE *file);

/* Specification that a process was built with. Texts are the trace's. */
struct spec_built {
  uint32_t process;
  const char *name;
  const char *hash; /* followed by a blank and Heddle's version */
  bool named;       /* it has the specification's name */
  bool fits;        /* named, and the hash is the same */
};

/* Calls `see` for each specification that a process was built with. */
void spec_for_each_built(const struct trace *trace, const struct spec *spec,
                         void (*see)(void *context, const struct spec_built *built), void *context);

/*
 * Checks that the trace's processes were built with this specification. False: a process was built with another
 * version; the error names it, and what to do. True also if no process reports a specification.
 */
bool spec_fits(const struct trace *trace, const struct spec *spec, struct error *error);

#endif
