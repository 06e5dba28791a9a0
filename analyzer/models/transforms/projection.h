/*
 * Projections: transforms that change the components of program states. The result has its own program and states. Each
 * projection only says how components come from components; projected_stream.h does the rest.
 */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_PROJECTION_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_PROJECTION_H

#include "analyzer/models/sequences/pes.h"
#include "base/vector.h"

/* A component of the result. */
struct projection_part {
  VECTOR(uint32_t) sources;  /* components of the source; several: the values are their combinations that occur */
  uint32_t *values;          /* of one source: value index -> new value index; NULL: they stay the same */
  struct pes_states *tuples; /* of several: combinations, numbered as the values are */
};

struct projection {
  struct pes_program *program;
  VECTOR(struct projection_part) parts; /* by component of the program */
  uint32_t *sets;                       /* a set of the source -> one of the program; PES_NONE: not copied yet */
  bool merge;                           /* equal neighbours become one record */
};

/* With name, clock and parameters of the source's program, and without components. False: no memory. */
bool projection_begin(struct projection *projection, const struct pes_program *of);
void projection_free(struct projection *projection);

/* A copy of a set of the source, the same for each call. PES_NONE: no memory. */
uint32_t projection_set(struct projection *projection, const struct pes_program *of, uint32_t set);

/* Adds a part for one component, which has that set of the result. NULL: no memory. */
struct projection_part *projection_add(struct projection *projection, const struct pes_program *of, uint32_t component,
                                       uint32_t set);

/* Adds a component as it is. False: no memory. */
bool projection_keep(struct projection *projection, const struct pes_program *of, uint32_t component);

/*
 * Marks the components that a user names: "0", "0-2", a name (all that have it), "*"; up to `end` with commas between
 * them. The caller frees *chosen. False: an error, also when a component is not there.
 */
struct words;
bool projection_choose(const struct pes_program *program, const struct words *names, bool **chosen,
                       struct error *error);

/* Cuts " --no-merge" off the end of a copy of the argument, which the caller frees. NULL: no memory. */
char *projection_argument(const char *argument, bool *merge, struct error *error);

/* From the states of a sequence to those of its projection. */

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

/* A projected sequence, as a stream over its source. */

/* Takes over the projection in any case, and the source unless it returns NULL: an error. */
struct pes_stream *projected_stream_open(struct pes_stream *source, struct projection *projection, struct error *error);

#endif
