/*
 * Projections: transforms that change the components of program states. The result has its own program and states. A
 * projection says how components come from components; projected_stream_open() makes the stream.
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
  uint32_t *sets;                       /* by set of the source: a set of the program; PES_NONE: not copied yet */
  bool merge;                           /* equal neighbours become one record */
};

/* Begins with name, clock and parameters of the source's program, without components. False: out of memory. */
bool projection_begin(struct projection *projection, const struct pes_program *of);
void projection_free(struct projection *projection);

/* Adds a part for a component that has this set of the result. NULL: out of memory. */
struct projection_part *projection_add(struct projection *projection, const struct pes_program *of, uint32_t component,
                                       uint32_t set);

/* Adds an unchanged component. False: out of memory. */
bool projection_keep(struct projection *projection, const struct pes_program *of, uint32_t component);

/*
 * Marks components that the user names: "0", "0-2", a name (all that have it), "*". The caller frees *chosen. False: an
 * error, also if a component does not exist.
 */
struct words;
bool projection_choose(const struct pes_program *program, const struct words *names, bool **chosen,
                       struct error *error);

/* Returns a copy of the argument without " --no-merge" at its end, which the caller frees. NULL: out of memory. */
char *projection_argument(const char *argument, bool *merge, struct error *error);

/* Opens the projected sequence. Takes over the projection, and the source unless it returns NULL: an error. */
struct pes_stream *projected_stream_open(struct pes_stream *source, struct projection *projection, struct error *error);

#endif
