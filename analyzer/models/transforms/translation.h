/* From the states of a sequence to those of its projection. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_TRANSLATION_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_TRANSLATION_H

#include "analyzer/models/transforms/projection.h"

struct translation {
  uint32_t *map; /* PES_NONE: it does not occur */
  uint32_t count;
};

/*
 * Reads the source once, rewinds it, and puts the states into the table. May add values to the projection's program.
 * Free it in any case.
 */
bool translation_make(struct translation *translation, struct pes_stream *source, struct projection *projection,
                      struct pes_states *to, struct error *error);
void translation_free(struct translation *translation);

static inline uint32_t translation_of(const struct translation *translation, uint32_t state)
{
  return state < translation->count ? translation->map[state] : PES_NONE;
}

#endif
