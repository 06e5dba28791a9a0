/* The languages that code is generated in. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGES_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGES_H

#include "analyzer/analyses/intervals/spec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum generate_language { GENERATE_C, GENERATE_FORTRAN, GENERATE_JAVA, GENERATE_PYTHON };
#define GENERATE_LANGUAGES "c|fortran|java|python" /* in this order */

/* Private to generate/: names of events and attributes as identifiers of a language. */

enum name_kind { NAME_FUNCTION, NAME_PARAMETER, NAME_WHOLE /* the module or class */ };

/*
 * What follows the name to make it an identifier: "_" if the language, or the generated code itself, uses the name
 * otherwise, else "".
 */
const char *name_end(enum generate_language language, enum name_kind kind, const char *name);

/* Whether the identifiers of two names are the same. */
bool names_clash(enum generate_language language, enum name_kind kind, const char *a, const char *b);

/* Private to generate/: a writer for each language. */

void write_c(const struct spec *spec, FILE *file);
void write_fortran(const struct spec *spec, FILE *file);
void write_java(const struct spec *spec, const char *package, FILE *file);
void write_python(const struct spec *spec, FILE *file);

/*
 * A hash of the names of declared events, and of their attributes' names and types, in their order: of what code is
 * generated from. Comments, intervals and symbols may change.
 */
uint64_t spec_hash(const struct spec *spec);

#define SPEC_HASH_SIZE 17
void spec_hash_text(uint64_t hash, char text[SPEC_HASH_SIZE]);

/* The name of the event by which the program says what it was built with. */
#define BUILT_SIZE 1200
const char *built_event(const struct spec *spec, char text[BUILT_SIZE]);

/* For each declared event; others have no code. */
#define FOR_EACH_DECLARED(event, spec)                                                                                 \
  for (const struct spec_event *event = (spec)->events; event; event = event->next)                                    \
    if (event->declared)

#endif
