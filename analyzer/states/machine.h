/*
 * Turns the events of one location into intervals: which state the thread was in, in which construct, from when to
 * when. Intervals follow each other without gap or overlap from the location's first event to its last.
 * Memory depends on the nesting depth alone.
 */
#ifndef HEDDLE_ANALYZER_STATES_MACHINE_H
#define HEDDLE_ANALYZER_STATES_MACHINE_H

#include "analyzer/states/state.h"
#include "analyzer/trace/stream.h"

#define MACHINE_DEPTH_LIMIT 1000000 /* regions open at a time on one location; deeper is taken for damage */

struct state_interval {
  enum state state;
  uint32_t construct; /* region whose time this is: parts (chunks, waiting parts, ...) count as their construct's */
  uint64_t start, end;
};

/* Called for every interval, in order; never for an empty one. */
typedef void state_sink(void *context, const struct state_interval *interval);

struct machine;

/* `rules`: one a region of the trace, from machine_rules(); it outlives the machine. NULL: no memory. */
struct machine *machine_create(const struct trace *trace, uint32_t location, const uint8_t *rules, state_sink *sink,
                               void *context);
void machine_destroy(struct machine *machine);

/* The rule of each region, for all machines of a trace. The caller frees it. NULL: no memory. */
uint8_t *machine_rules(const struct trace *trace);

/* Takes the next event. False: an error. */
bool machine_event(struct machine *machine, const struct trace_event *event, struct trace_error *error);

/* Closes the last interval. False: the durations do not add up to the lifetime (a defect of this program). */
bool machine_end(struct machine *machine, struct trace_error *error);

/* Ticks in a state so far, up to the last event; exact whenever no construct is open whose state is still undecided. */
uint64_t machine_total(const struct machine *machine, enum state state);

uint64_t machine_first(const struct machine *machine);     /* time of the first event; 0 when there was none */
uint64_t machine_last(const struct machine *machine);      /* time of the last event */
uint64_t machine_unmatched(const struct machine *machine); /* ends without a beginning, passed over */

/* How many regions, forks and teams are open; what opened at a depth is over when the depth is less. */
size_t machine_depth(const struct machine *machine);

/* After an Enter: is the region just entered a part (a chunk, a waiting part, ...) of the construct around it? */
bool machine_in_part(const struct machine *machine);

#endif
