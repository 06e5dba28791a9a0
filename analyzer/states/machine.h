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

/* What a machine shows of itself, after each event. */
struct machine_view {
  size_t depth;   /* 1 + the regions, forks and teams that are open; what opened at a depth is over when it is less */
  bool in_part;   /* after an Enter: the region is a part (a chunk, a waiting part, ...) of the construct around it */
  unsigned state; /* since the last change; no state as long as it is undecided */
  uint64_t since; /* ... and when that was */
  bool any;       /* there was an event */
  uint64_t first; /* time of the first event; 0 when there was none */
  uint64_t last;  /* time of the last event */
  uint64_t totals[STATES]; /* ticks in each state up to `since` */
  uint64_t unmatched;      /* ends without a beginning, passed over */
};

/* Ticks in a state so far, up to the last event; exact whenever no construct is open whose state is still undecided. */
static inline uint64_t machine_total(const struct machine_view *view, enum state state)
{
  return view->totals[state] + (view->state == state ? view->last - view->since : 0);
}

struct machine;

/* `rules`: one a region of the trace, from machine_rules(); it outlives the machine. NULL: no memory. */
struct machine *machine_create(const struct trace *trace, uint32_t location, const uint8_t *rules, state_sink *sink,
                               void *context);
void machine_destroy(struct machine *machine);

/* The view of a machine: always the same place, so it need be asked for only once. */
const struct machine_view *machine_view(const struct machine *machine);

/* Whether it is known what all the time up to the last event was; else later events may still decide it. */
bool machine_is_decided(const struct machine *machine);

/* A region that is open. False: stop. */
typedef bool machine_visitor(void *context, uint32_t region);
/*
 * Calls `visit` for each region that is open, from the outermost on, with the view as it was after that one's Enter; or
 * from the innermost on, with the view as it would be after its Leave. False: a visitor said so.
 */
bool machine_visit_entered(struct machine *machine, machine_visitor *visit, void *context);
bool machine_visit_leaving(struct machine *machine, machine_visitor *visit, void *context);

/* The rule of each region, for all machines of a trace. The caller frees it. NULL: no memory. */
uint8_t *machine_rules(const struct trace *trace);

/* Takes the next event. False: an error. */
bool machine_event(struct machine *machine, const struct trace_event *event, struct error *error);

/* Closes the last interval. False: the durations do not add up to the lifetime (a defect of this program). */
bool machine_end(struct machine *machine, struct error *error);

#endif
