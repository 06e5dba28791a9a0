/*
 * Turns the events of one location into intervals of states: which state, in which construct, from when to when.
 * Intervals follow each other without gap or overlap, from the location's first event to its last. Memory depends only
 * on the nesting depth.
 *
 * The states of the programming model are the better reasons at its level. A wait, or a time without a processor, in
 * one of them counts to the construct with the wait. At the level of threads (trace->threads_level) it is the other way
 * round, and the rest of the model's states is RUN. This level needs the times of the thread on a processor, or all
 * waits of the thread (Java's).
 */
#ifndef HEDDLE_ANALYZER_TRACE_STATES_MACHINE_H
#define HEDDLE_ANALYZER_TRACE_STATES_MACHINE_H

#include "analyzer/trace/states/state.h"
#include "analyzer/trace/stream.h"
#include "base/vector.h"

#define MACHINE_DEPTH_LIMIT 1000000 /* open regions of one location; more is taken for damage */

struct state_interval {
  enum state state;
  uint32_t construct; /* region; a part (chunk, waiting part, ...) counts as its construct */
  uint64_t start, end;
  uint64_t off; /* ticks of it in which the thread had no processor; of READY and OFF none */
};

/* Called for each interval, in order; intervals are not empty. */
typedef void state_sink(void *context, const struct state_interval *interval);

/* The state of a machine after each event. */
struct machine_view {
  size_t depth;   /* 1 + open regions, forks and teams; what opened at a depth has ended when the depth is less */
  bool in_part;   /* after an Enter: the region is a part (a chunk, a waiting part, ...) of the construct around it */
  unsigned state; /* now; not an enum state while it is undecided */
  uint32_t construct;      /* to which the time now belongs; TRACE_NONE: none */
  uint64_t since;          /* ticks: since when */
  bool any;                /* there were events */
  uint64_t first;          /* time of the first event; 0: there was none */
  uint64_t last;           /* time of the last event */
  uint64_t totals[STATES]; /* ticks in each state up to `since` */
  uint64_t unmatched;      /* ends without a begin, ignored */
};

/* Ticks in a state up to the last event; exact while no open construct has an undecided state. */
static inline uint64_t machine_total(const struct machine_view *view, enum state state)
{
  return view->totals[state] + (view->state == state ? view->last - view->since : 0);
}

struct machine;

/* `rules` are machine_rules(), and outlive the machine. NULL: no memory. */
struct machine *machine_create(const struct trace *trace, uint32_t location, const uint8_t *rules, state_sink *sink,
                               void *context);
void machine_destroy(struct machine *machine);

/* The view of a machine, valid as long as the machine. */
const struct machine_view *machine_view(const struct machine *machine);

/* True if the states up to the last event are final; else later events may still decide some. */
bool machine_is_decided(const struct machine *machine);

/* An open region. False: stop. */
typedef bool machine_visitor(void *context, uint32_t region);
/*
 * Calls `visit` for each open region. machine_visit_entered() goes from the outermost on, with the view as it was after
 * the region's Enter. machine_visit_leaving() goes from the innermost on, with the view as it would be after its Leave.
 * False: `visit` returned false.
 */
bool machine_visit_entered(struct machine *machine, machine_visitor *visit, void *context);
bool machine_visit_leaving(struct machine *machine, machine_visitor *visit, void *context);

/* The rule of each region, for all machines of a trace. The caller frees the array. NULL: no memory. */
uint8_t *machine_rules(const struct trace *trace);

/* Takes the next event. False: an error. */
bool machine_event(struct machine *machine, const struct trace_event *event, struct error *error);

/* Ends the last interval. False: the durations do not add up to the lifetime (a defect of this program). */
bool machine_end(struct machine *machine, struct error *error);

/*
 * Threads' time without a processor if context switches were not recorded. The archive then has readings; each reading
 * is a sum over the time since the one before (docs/otf2.md). The intervals of states of that time share the sums.
 * Waits come first, because threads sleep in them, then the program's own work; among these the longest first. No
 * interval gets more than its length.
 *
 * One location at a time; the caller feeds intervals and events as a pass delivers them (pass/subscriber.h).
 */

#define READINGS_PIECES 1024u /* the newest so many intervals get something */

/* What one interval gets, in ticks. */
struct readings_share {
  enum state state;
  uint32_t construct; /* as the interval's */
  uint32_t around;    /* what the caller noted of the interval */
  uint64_t off;       /* without a processor */
  uint64_t ready;     /* of this: it could have run */
};
typedef bool readings_taker(void *context, const struct readings_share *share);

struct readings_piece {
  uint64_t start, end;
  uint32_t construct, around;
  enum state state;
};

/* Zero at the begin, but for the first three. */
struct readings {
  const struct trace *trace;
  readings_taker *take; /* false: no memory */
  void *context;
  bool failed; /* `take` was false, or there is no memory */
  VECTOR(struct readings_piece) pieces;
  bool waits;           /* a reading whose intervals have not come yet: */
  uint64_t since, time; /* ticks */
  uint64_t off_ns, ready_ns;
};

/* True if the archive has any. */
bool readings_exist(const struct trace *trace);

/* around: anything that the caller wants to know of it later. */
void readings_interval(struct readings *readings, const struct state_interval *interval, uint32_t around);
void readings_event(struct readings *readings, const struct trace_event *event);
/* All of the location has come. False: no memory. */
bool readings_end(struct readings *readings);
void readings_free(struct readings *readings);

/* The public headers of states/: the states, the table of constructs, and the machine that applies it. */

#endif
