/*
 * Whether a trace's programs were built with code that was generated from a specification: each process has the hash of
 * what it was built with (docs/otf2.md).
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_FITS_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_FITS_H

#include "analyzer/analyses/intervals/spec.h"
#include "analyzer/trace/definitions.h"

/*
 * A hash of the names of declared events, and of their attributes' names and types, in their order: of what code is
 * generated from. Comments, intervals and symbols may change.
 */
uint64_t spec_hash(const struct spec *spec);

#define SPEC_HASH_SIZE 17
void spec_hash_text(uint64_t hash, char text[SPEC_HASH_SIZE]);

/* A specification that a process was built with. Texts are the trace's. */
struct spec_built {
  uint32_t process;
  const char *name;
  const char *hash; /* followed by a blank and Heddle's version */
  bool named;       /* it has the specification's name */
  bool fits;        /* named, and the hash is the same */
};

/* Calls `see` for each of them. */
void spec_for_each_built(const struct trace *trace, const struct spec *spec,
                         void (*see)(void *context, const struct spec_built *built), void *context);

/*
 * False: a process was built with another version of the specification, and the error says which one, and what to do.
 * True also if no process says what it was built with.
 */
bool spec_fits(const struct trace *trace, const struct spec *spec, struct error *error);

#endif
