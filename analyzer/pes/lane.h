/* Private to pes/: one location of an archive as changes of a value, in order of time. */
#ifndef HEDDLE_ANALYZER_PES_LANE_H
#define HEDDLE_ANALYZER_PES_LANE_H

#include "analyzer/pes/from_trace.h"

enum { LANE_UNDEF, LANE_FINIS, LANE_FIRST_VALUE };

struct lane_change {
  uint64_t time;
  uint64_t key; /* what the thread does from now on: LANE_UNDEF, LANE_FINIS, or a value, see lane_key_*() */
  bool taken;   /* of LOCKS: it got or gave up the lock `key` */
  double value; /* of COUNTERS: what is measured from now on of lane_counter_*(key) */
};

/* A key above LANE_FIRST_VALUE: state and construct; of OF_STATE the construct is 0, of OF_CONSTRUCT the state. */
static inline uint64_t lane_key(unsigned state, uint32_t construct)
{
  return LANE_FIRST_VALUE + ((uint64_t)construct << 8 | state);
}

static inline unsigned lane_key_state(uint64_t key)
{
  return (unsigned)((key - LANE_FIRST_VALUE) & 0xff);
}

static inline uint32_t lane_key_construct(uint64_t key)
{
  return (uint32_t)((key - LANE_FIRST_VALUE) >> 8);
}

/* A key above LANE_FIRST_VALUE of COUNTERS: a metric of a location. */
static inline uint64_t lane_counter(const struct trace *trace, uint32_t metric, uint32_t location)
{
  return LANE_FIRST_VALUE + (uint64_t)metric * trace->location_count + location;
}

static inline uint32_t lane_counter_metric(const struct trace *trace, uint64_t key)
{
  return (uint32_t)((key - LANE_FIRST_VALUE) / trace->location_count);
}

static inline uint32_t lane_counter_location(const struct trace *trace, uint64_t key)
{
  return (uint32_t)((key - LANE_FIRST_VALUE) % trace->location_count);
}

struct lane;

/* `rules` are those of machine_rules(), and outlive it. `error` is where it reports, also later. NULL: an error. */
struct lane *lane_open(const struct trace *trace, uint32_t location, enum pes_component_kind kind, const uint8_t *rules,
                       struct trace_error *error);
void lane_close(struct lane *lane);

/* The next change, valid until the next call; NULL at the end, and if *good is false after an error. */
const struct lane_change *lane_next(struct lane *lane, bool *good);

#endif
