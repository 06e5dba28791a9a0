/* Output of `heddle transform` on stdout: previews, comparisons, suggestions. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORM_SHOW_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORM_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/transforms/transforms.h"

/*
 * Prints the occurrences of the states from number `first` on. `before`: the sequence without the step that added them.
 * False: an error; without a message if print_close() has printed it.
 */
bool transform_show_preview(struct pes_stream *stream, uint32_t first, size_t places,
                            const struct transforms_summary *before, enum print_format format, struct error *error);

struct transform_compared {
  const char *name; /* of a list of steps */
  size_t steps;
  struct transforms_summary summary;
};

/* Prints a row for each list. False: as above. */
bool transform_show_comparison(const struct transform_compared *rows, size_t count, uint64_t ticks_per_second,
                               enum print_format format, struct error *error);

/*
 * Prints steps that are worth adding after the first `count` steps of a list, and their effect. The sequence `path` is
 * read several times. False: an error; without a message if print_close() has printed it.
 */
bool transform_suggest(const char *path, const struct transforms *list, size_t count, enum print_format format,
                       struct error *error);

#endif
