/*
 * Finds what the names in a specification mean and whether types go together, and fills in what spec.h calls `check`.
 * Afterwards any thread may read the specification.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_CHECK_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_CHECK_H

#include "analyzer/analyses/intervals/spec.h"

/* A constant from the command line, NAME=VALUE, which goes before that of the specification; before the check. */
bool spec_define(struct spec *spec, const char *text, struct error *error);

/* False: a mistake, with its place. */
bool spec_check(struct spec *spec, struct error *error);

#endif
