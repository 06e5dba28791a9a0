/* Private to sequences/. Lane of a pass: the changes of one location. They wait until all locations have been read up
 * to their time. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_LANE_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_LANE_H

#include "analyzer/models/sequences/trace_options.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/stream.h"

enum { LANE_UNDEF, LANE_FINIS, LANE_FIRST_VALUE };

struct lane_change {
  uint64_t time;
  uint64_t key; /* new activity of the thread: LANE_UNDEF, LANE_FINIS, or a value of lane_key() */
  bool taken;   /* LOCKS: true: the thread acquired the lock `key`; false: it released the lock */
  double value; /* COUNTERS: the new value of lane_counter_*(key) */
};

/* Key of a state and a construct; for OF_STATE the construct is 0, for OF_CONSTRUCT the state. */
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

/* Key of COUNTERS: a metric of a location. */
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

/* Opens the lane of a location. It does nothing once *wanted, which outlives it, is false. NULL: out of memory. */
struct lane *lane_open(const struct trace *trace, enum pes_component_kind kind, const struct pass_location *location,
                       const bool *wanted);
void lane_close(struct lane *lane);

/* Calls of a subscriber: threads need intervals, locks and counters need events. False: out of memory. */
void lane_interval(void *lane, const struct state_interval *interval);
bool lane_event(void *lane, const struct trace_event *event);

/* Ends the lane after the last event of the location. False: out of memory, now or at an earlier interval. */
bool lane_end(struct lane *lane);

/* Returns the queue of changes (struct lane_change). */
struct item_queue *lane_queue(void *lane);

/* Returns the time before which no further change comes. */
uint64_t lane_reached(void *lane);

#endif
