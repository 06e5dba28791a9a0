/* Private to pes/: the names of components and of their values. The caller frees the names. NULL: no memory. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_VALUE_NAMES_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_VALUE_NAMES_H

#include "analyzer/models/sequences/lane.h"

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

#endif
