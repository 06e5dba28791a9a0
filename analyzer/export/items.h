/*
 * Private to export/: one location as a sequence of items in order of time. A sequence has either its states or its
 * events: how long a state lasts is known at its end only, and how many events there are until then has no limit, so
 * what needs both reads the location twice.
 */
#ifndef HEDDLE_ANALYZER_EXPORT_ITEMS_H
#define HEDDLE_ANALYZER_EXPORT_ITEMS_H

#include "analyzer/states/states.h"

enum items_kind {
  ITEMS_STATES,     /* BEGIN, STATE, END; neighbours differ in their state */
  ITEMS_CONSTRUCTS, /* the same; neighbours differ in state or construct */
  ITEMS_EVENTS      /* all others */
};

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

struct items;

/* `rules` are those of machine_rules(), and outlive it. `error` is where it reports, also later. NULL: an error. */
struct items *items_open(const struct trace *trace, uint32_t location, enum items_kind kind, const uint8_t *rules,
                         struct trace_error *error);
void items_close(struct items *items);

/* The next item, valid until the next call; NULL at the end, and if *good is false after an error. */
const struct item *items_next(struct items *items, bool *good);

#endif
