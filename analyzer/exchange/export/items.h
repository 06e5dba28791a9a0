/* Private to export/: the items that formats are made of, and how intervals become states. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_ITEMS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_ITEMS_H

#include "analyzer/trace/attributes.h"
#include "analyzer/trace/edges/edges.h"

enum item_kind {
  ITEM_BEGIN, /* the first event of the thread */
  ITEM_STATE,
  ITEM_END, /* the last event; the last item */
  /* Enters and leaves are balanced: a leave without an enter is left out; regions that are open at the end are left. */
  ITEM_ENTER,
  ITEM_LEAVE,
  ITEM_VALUE, /* an attribute of the program's event whose ENTER comes next on this thread, or the callers of a wait */
  ITEM_STEP   /* of EXPORT_EDGES */
};

/* Edges that are shown: arrows. They are the first kinds. */
enum {
  EXPORT_EDGES = EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_LOCK) | EDGE_BIT(EDGE_TASK),
  EXPORT_EDGE_KINDS = EDGE_TASK + 1
};

struct item {
  uint64_t time; /* ticks */
  union {
    struct {
      uint64_t end;        /* STATE: ticks */
      const char *callers; /* STATE of a state_reader: of its wait; NULL: none, or unknown */
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
  uint8_t rule;   /* ENTER, LEAVE: enum rule; STEP, a release: that of the region around it */
  bool part;      /* ENTER, LEAVE: the region is a part (a chunk, a waiting part) of the one around it */
};

/* What must be equal in intervals that follow each other, so that they are one STATE. */
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

/* Whether a STATE goes on in the next interval; one that is empty does not. */
static inline bool item_goes_on(const struct item *state, const struct state_interval *interval, enum state_kind kind)
{
  return state->end > state->time && state->state == interval->state &&
         (kind == BY_STATE || state->index == interval->construct);
}

#endif
