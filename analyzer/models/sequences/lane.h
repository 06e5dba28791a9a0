/*
 * Private to pes/: which locks a location takes and gives back. Object.wait gives back the monitor that it waits on,
 * though the archive has no event for that, and takes it again at its end.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_LANE_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_LANE_H

#include "analyzer/models/sequences/trace_options.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/stream.h"
#include "base/vector.h"

/* A monitor of Java's that the thread holds, once for each time that it has taken it. */
struct held_monitor {
  uint32_t lock;   /* index in the archive */
  uint64_t object; /* its number; several classes may have objects of one number ... */
  const char *class_name;
};

/* All zero at the begin. */
struct monitors {
  VECTOR(struct held_monitor) held;
  struct held_monitor next;      /* what the next acquisition takes, at ... */
  uint64_t next_time;            /* ... this time */
  struct held_monitor waits_for; /* the monitor that an open wait has given back */
  uint32_t wait;                 /* ... and the region of this wait + 1; 0: none is open */
};

/* Takes the events in turn. put is called for each change; false of it, or no memory: false. */
bool monitors_take(struct monitors *monitors, const struct trace *trace, const struct trace_event *event,
                   bool (*put)(void *context, uint64_t time, uint32_t lock, bool taken), void *context);
void monitors_free(struct monitors *monitors);

/* Private to pes/: one location in a pass. Its changes wait until all locations have been read up to their time. */

enum { LANE_UNDEF, LANE_FINIS, LANE_FIRST_VALUE };

struct lane_change {
  uint64_t time;
  uint64_t key; /* what the thread does from now on: LANE_UNDEF, LANE_FINIS, or a value, see lane_key_*() */
  bool taken;   /* LOCKS: the thread acquired the lock `key`; false: it released the lock */
  double value; /* COUNTERS: the new value of lane_counter_*(key) */
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

/* As the calls of a subscriber. *wanted says whether anybody still wants changes; it outlives the lane. NULL: no
 * memory. */
struct lane *lane_open(const struct trace *trace, enum pes_component_kind kind, const struct pass_location *location,
                       const bool *wanted);
void lane_close(struct lane *lane);

/* Threads need intervals, locks and counters need events. Events: false if there is no memory. */
void lane_interval(void *lane, const struct state_interval *interval);
bool lane_event(void *lane, const struct trace_event *event);

/* After the location's last event. False: no memory, now or at an interval before. */
bool lane_end(struct lane *lane);

/* Of struct lane_change. */
struct item_queue *lane_queue(void *lane);

/* No change that is still to come is earlier. */
uint64_t lane_reached(void *lane);

#endif
