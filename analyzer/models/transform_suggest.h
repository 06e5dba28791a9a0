/* The output of `heddle transform --suggest` on stdout. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORM_SUGGEST_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORM_SUGGEST_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/transforms/transforms.h"

/*
 * Prints steps that are worth adding to the first `count` of a list, and what they would do. `path`: the sequence. It
 * is read several times. False: an error; without a message if print_close() has printed it.
 */
bool transform_suggest(const char *path, const struct transforms *list, size_t count, enum print_format format,
                       struct error *error);

#endif
