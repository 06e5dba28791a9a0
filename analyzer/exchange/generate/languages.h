/*
 * Languages of generated code: their identifiers, their writers, and the hash by which a trace reports its
 * specification.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGES_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGES_H

#include "analyzer/analyses/intervals/spec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum generate_language { GENERATE_C, GENERATE_FORTRAN, GENERATE_JAVA, GENERATE_PYTHON };
#define GENERATE_LANGUAGES "c|fortran|java|python" /* in this order */

/* Private to generate/. Names of events and attributes as identifiers of a language. */

enum name_kind { NAME_FUNCTION, NAME_PARAMETER, NAME_WHOLE /* the module or class */ };

/*
 * Returns the suffix that makes a name an identifier: "_" if the language, or the generated code itself, uses the name
 * otherwise, else "".
 */
const char *name_end(enum generate_language language, enum name_kind kind, const char *name);

/* True if the identifiers of two names are equal. */
bool names_clash(enum generate_language language, enum name_kind kind, const char *a, const char *b);

/* Private to generate/. Writers of the languages. */

void write_c(const struct spec *spec, FILE *file);
void write_fortran(const struct spec *spec, FILE *file);
void write_java(const struct spec *spec, const char *package, FILE *file);
void write_python(const struct spec *spec, FILE *file);

/*
 * Returns a hash of the declared events: their names, and their attributes' names and types, in order. Comments,
 * intervals and symbols do not change it.
 */
uint64_t spec_hash(const struct spec *spec);

#define SPEC_HASH_SIZE 17
void spec_hash_text(uint64_t hash, char text[SPEC_HASH_SIZE]);

/* Loop over the declared events; others have no code. */
#define FOR_EACH_DECLARED(event, spec)                                                                                 \
  for (const struct spec_event *event = (spec)->events; event; event = event->next)                                    \
    if (event->declared)

#endif
