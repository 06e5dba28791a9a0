/*
 * Private to export/. Items that formats consist of: events and states of one location, and the processes of locations.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_ITEMS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_ITEMS_H

#include "analyzer/trace/attributes.h"
#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/restriction.h"
#include "base/vector.h"

#include <stddef.h>

enum item_kind {
  ITEM_BEGIN, /* the first event of the thread */
  ITEM_STATE,
  ITEM_END, /* the last event; the last item */
  /* Enters and leaves are balanced: leaves without an enter are dropped, open regions are left at the end. */
  ITEM_ENTER,
  ITEM_LEAVE,
  ITEM_VALUE, /* an attribute of the program's event whose ENTER comes next on this thread, or the callers of a wait */
  ITEM_STEP   /* of EXPORT_EDGES */
};

/* Edges that formats show as arrows. They are the first kinds. */
enum {
  EXPORT_EDGES = EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_LOCK) | EDGE_BIT(EDGE_TASK),
  EXPORT_EDGE_KINDS = EDGE_TASK + 1
};

struct item {
  uint64_t time; /* ticks */
  union {
    struct {
      uint64_t end;        /* STATE: ticks */
      const char *callers; /* STATE of a state_reader: callers of its wait; NULL: none, or unknown */
    };
    struct edge_step step;    /* STEP */
    struct trace_value value; /* VALUE */
    struct {
      uint32_t outer;          /* ENTER of a part: the region around it */
      uint32_t iterations;     /* ENTER of a chunk; UINT32_MAX: unknown, or more */
      int64_t first_iteration; /* ENTER of a chunk whose iterations are known */
    };
  };
  uint32_t index; /* STATE: construct; ENTER, LEAVE: region */
  uint8_t kind;   /* enum item_kind */
  uint8_t state;  /* STATE: enum state */
  uint8_t rule;   /* ENTER, LEAVE: enum rule; STEP, a release: the rule of the region around it */
  bool part;      /* ENTER, LEAVE: the region is a part (a chunk, a waiting part) of the one around it */
};

/* Criterion by which consecutive intervals are one STATE. */
enum state_kind {
  BY_STATE,    /* the state alone */
  BY_CONSTRUCT /* the state and the construct */
};

static inline struct item item_of_interval(const struct state_interval *interval)
{
  return (struct item){.time = interval->start,
                       .end = interval->end,
                       .index = interval->construct,
                       .kind = ITEM_STATE,
                       .state = (uint8_t)interval->state};
}

/* True if a STATE continues in the next interval; an empty one does not. */
static inline bool item_goes_on(const struct item *state, const struct state_interval *interval, enum state_kind kind)
{
  return state->end > state->time && state->state == interval->state &&
         (kind == BY_STATE || state->index == interval->construct);
}

/*
 * Processes as formats show them. Threads without a process have one of their own, the last, whose number is
 * process_count.
 */

/* Returns the process of a location; process_count: none. */
static inline uint32_t process_of(const struct trace *trace, uint32_t location)
{
  uint32_t process = trace->locations[location].process;
  return process < trace->process_count ? process : trace->process_count;
}

/* True if a process is shown: not if the restriction excludes all its threads; the last one only if it has threads. */
static inline bool process_is_shown(const struct trace *trace, uint32_t process)
{
  bool always = process < trace->process_count, any = false;
  if (always && !trace->restriction.locations)
    return true;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (process_of(trace, i) != process)
      continue;
    if (!trace->locations[i].excluded)
      return true;
    any = true;
  }
  return always && !any;
}

/* Returns the name of a process; "": it has none. */
static inline const char *process_name(const struct trace *trace, uint32_t process)
{
  return process < trace->process_count ? trace->processes[process].name : "";
}

/* Attributes of the program's events and callers of waits, which come before their Enter. */

/* By location: values of the next Enter. */
struct values_waiting {
  VECTOR(struct trace_value) * lists;
  uint32_t count; /* of locations */
};

static inline bool values_open(struct values_waiting *waiting, const struct trace *trace)
{
  waiting->count = trace->location_count;
  waiting->lists = calloc((size_t)trace->location_count + 1, sizeof *waiting->lists);
  return waiting->lists != NULL;
}

static inline void values_close(struct values_waiting *waiting)
{
  for (uint32_t i = 0; waiting->lists && i < waiting->count; i++)
    vector_free(&waiting->lists[i]);
  free(waiting->lists);
}

/* Events of one location as items. Memory depends on the nesting depth, and on waiting events. */

/* Open region. */
struct events_region {
  uint32_t region;
  uint8_t rule;
  bool part;
};

struct events {
  const struct trace *trace;
  const uint8_t *rules; /* machine_rules() */
  struct error *error;
  struct item_queue items; /* for others to take */
  struct edge_reader steps;
  VECTOR(struct events_region) open;
  bool callers; /* waits may have them */
};

/* All arguments outlive it. */
static inline struct events events_of(const struct trace *trace, const uint8_t *rules, struct error *error)
{
  return (struct events){.trace = trace,
                         .rules = rules,
                         .error = error,
                         .callers = trace_may_have_callers(trace),
                         .steps = edge_reader_of(rules, EXPORT_EDGES),
                         .items = {.size = sizeof(struct item), .time_at = offsetof(struct item, time)}};
}

/* Adds the item of the next event, if it has one. False: an error. */
bool events_take(struct events *events, const struct trace_event *event);
/* The same for an event that stands for a region that is open at the begin of the restriction. */
bool events_take_border(struct events *events, const struct trace_event *event);
/* For an event outside of the restriction; *found: it is a step. False: an error. */
bool events_take_outside(struct events *events, const struct trace_event *event, struct item *step, bool *found);
/* Closes open regions. False: an error. */
bool events_end(struct events *events, uint64_t time);
void events_free(struct events *events);

/*
 * States of one location alone: for formats without events, and for reading ahead if too many events precede the end of
 * a state. It decodes the location at most once more.
 */

struct state_reader;

/* `rules` (of machine_rules()) and `error`, which later calls also fill in, outlive the reader. NULL: an error. */
struct state_reader *state_reader_open(const struct trace *trace, uint32_t location, enum state_kind kind,
                                       const uint8_t *rules, struct error *error);
void state_reader_close(struct state_reader *reader);

/* Returns the next STATE, valid until the next call. NULL: the end, or, if *good is false, an error. */
const struct item *state_reader_next(struct state_reader *reader, bool *good);

#endif
