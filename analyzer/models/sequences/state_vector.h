/* Private to pes/: the names of components and of their values. The caller frees the names. NULL: no memory. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_VECTOR_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_VECTOR_H

#include "analyzer/models/sequences/lane.h"
#include "analyzer/models/sequences/program.h"

/* What a component's values are. */
enum { VALUE_MASK_BITS = 64 };

static inline bool value_is_count(const struct pes_trace_options *options)
{
  return pes_follows_threads(options->component) && options->vector == PES_COUNTS;
}

static inline bool value_is_mask(const struct pes_trace_options *options)
{
  return pes_follows_threads(options->component) && options->vector == PES_ROLES;
}

/* ROLES: what a thread does as a bit of a mask. States are few. */
static inline unsigned value_bit(uint64_t key)
{
  return key < LANE_FIRST_VALUE ? (unsigned)key : LANE_FIRST_VALUE + lane_key_state(key);
}

/* Counters: the value of a component for a measured figure; never 0, which stands for unknown. */
uint64_t value_of_counter(double measured, double step);

/* A value, long or short; `key` is what its component counts or is. */
char *value_text(const struct trace *trace, const struct pes_trace_options *options, uint64_t key, uint64_t value,
                 bool code);

/* A component that counts a key or is one. */
char *value_component_name(const struct trace *trace, enum pes_component_kind kind, uint64_t key);

/*
 * Private to pes/: the state of the whole program, as a vector of components. Components that are not known beforehand
 * (COUNTS, locks, counters) are added at their first change. Values get their number when they first occur, and keep it
 * when the archive is read again.
 */

struct state_vector;

/* Are components added while the archive is read? */
bool state_vector_grows(const struct pes_trace_options *options);

/* Adds components and values to the program, which outlives it as the options do. NULL: no memory. */
struct state_vector *state_vector_create(const struct trace *trace, const struct pes_trace_options *options,
                                         struct pes_program *program);
void state_vector_free(struct state_vector *vector);

/* All threads as before their beginning. */
void state_vector_reset(struct state_vector *vector);

/* A thread changes. False: no memory. */
bool state_vector_change(struct state_vector *vector, uint32_t location, const struct lane_change *change);

/* The value of each component, then zeros up to the width. Valid until the next change. */
const uint32_t *state_vector_values(const struct state_vector *vector);
uint32_t state_vector_width(const struct state_vector *vector);

/*
 * After the last change: puts added components into an order that does not depend on the run. `from` has room for a
 * number a component, and gets the component's place before. After that the vector can only be freed. False: no memory.
 */
bool state_vector_arrange(struct state_vector *vector, uint32_t *from);

#endif
