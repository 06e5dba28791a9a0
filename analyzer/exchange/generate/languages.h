/* Private to generate/: a writer for each language. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGES_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGES_H

#include "analyzer/analyses/intervals/spec.h"

#include <stdio.h>

void write_c(const struct spec *spec, FILE *file);
void write_fortran(const struct spec *spec, FILE *file);
void write_java(const struct spec *spec, const char *package, FILE *file);
void write_python(const struct spec *spec, FILE *file);

/* The name of the event by which the program says what it was built with. */
#define BUILT_SIZE 1200
const char *built_event(const struct spec *spec, char text[BUILT_SIZE]);

/* For each declared event; others have no code. */
#define FOR_EACH_DECLARED(event, spec)                                                                                 \
  for (const struct spec_event *event = (spec)->events; event; event = event->next)                                    \
    if (event->declared)

#endif
