/* Private to export/: what formats are made of, and how intervals become states. */
#ifndef HEDDLE_ANALYZER_EXPORT_ITEMS_H
#define HEDDLE_ANALYZER_EXPORT_ITEMS_H

#include "analyzer/states/states.h"

enum item_kind {
  ITEM_BEGIN, /* the first event of the thread */
  ITEM_STATE,
  ITEM_END, /* the last event; the last item */
  /* Enters and leaves are balanced: an end without a begin is left out, what is still open is closed at the end. */
  ITEM_ENTER,
  ITEM_LEAVE,
  ITEM_FORK,
  ITEM_JOIN,
  ITEM_TEAM_BEGIN,
  ITEM_ACQUIRE,
  ITEM_RELEASE,
  ITEM_TASK_CREATE,
  ITEM_TASK_SWITCH,
  ITEM_TASK_COMPLETE
};

struct item {
  uint64_t time; /* ticks */
  union {
    uint64_t end;   /* STATE: ticks */
    uint64_t since; /* ACQUIRE: when it was asked for */
    struct {
      uint32_t creator, generation; /* TASK_... */
    };
    struct {
      uint32_t outer;      /* ENTER of a part: the region around it */
      uint32_t iterations; /* ENTER of a chunk; UINT32_MAX: not known, or more than can be said */
    };
  };
  int64_t first_iteration; /* ENTER of a chunk whose iterations are known */
  uint32_t index; /* STATE: construct; ENTER, LEAVE: region; TEAM_BEGIN, TASK_...: team; ACQUIRE, RELEASE: lock */
  uint8_t kind;   /* enum item_kind */
  uint8_t state;  /* STATE: enum state */
  uint8_t rule;   /* ENTER, LEAVE: enum rule; ACQUIRE: that of the region that asked; RELEASE: that it is in */
  bool part;      /* ENTER, LEAVE: the region is a part (a chunk, a waiting part) of the one around it */
};

/* Intervals that follow each other are one STATE, if they do not differ in what tells states apart. */
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
