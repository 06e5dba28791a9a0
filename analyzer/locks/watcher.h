/* Private to locks/: what one location does to locks, in order of time. */
#ifndef HEDDLE_ANALYZER_LOCKS_WATCHER_H
#define HEDDLE_ANALYZER_LOCKS_WATCHER_H

#include "analyzer/locks/lock.h"
#include "analyzer/pass/pass.h"

enum lock_event_kind {
  LOCK_ACQUIRED,
  LOCK_RELEASED,
  LOCK_ASKED,     /* Java: it is waited for; LOCK_BLOCKED or LOCK_LEFT is to come */
  LOCK_BLOCKED,   /* Java: it was waited for, and is had now */
  LOCK_LEFT,      /* Java: it was waited for, and the trace does not have more */
  LOCK_GIVEN_UP,  /* Java: a monitor, by Object.wait; the lock may be one that nobody ever waited for */
  LOCK_REGAINED,  /* Java: after Object.wait */
  LOCK_HAD_AGAIN, /* Java: the same for a monitor whose acquisition was told of; RELEASED is to come */
  LOCK_UNPARKED,  /* Java: another thread, `owner`, may go on; no lock is known here */
  LOCK_MOUNTED    /* Java: the location runs the virtual thread `owner` from now on; no lock is known here */
};

struct lock_event {
  enum lock_event_kind kind;
  enum lock_kind lock_kind;
  uint64_t time;
  /* Asked for (acquired, blocked), or acquired (released); Java, acquired: the same as time. Later by the time in
   * between that was not measured. */
  uint64_t since;
  uint64_t number;        /* as in struct lock */
  uint32_t region;        /* where it was asked for */
  const char *class_name; /* Java, "" unknown; else NULL */
  /* Asked, blocked, left, given up, regained: */
  uint64_t owner;       /* Thread.getId(); 0 unknown. Unparked: who is */
  uint32_t owner_place; /* region */
};

struct watcher;

/* What each region means, worked out once for all watchers of a trace. False: no memory; free them also then. */
struct watcher_tables {
  uint8_t *rules; /* what asks for a lock */
};
bool watcher_tables_make(const struct trace *trace, struct watcher_tables *tables);
void watcher_tables_free(struct watcher_tables *tables);

/* The location, `error` and the tables outlive it. NULL: failed. */
struct watcher *watcher_open(const struct trace *trace, const struct pass_location *location,
                             const struct watcher_tables *tables, struct error *error);
void watcher_close(struct watcher *watcher);

/* Takes the next event of the location, which the view has already. False: an error. */
bool watcher_event(struct watcher *watcher, const struct trace_event *event);
/* What the events made: struct lock_event, in order of time. */
struct item_queue *watcher_queue(struct watcher *watcher);

uint32_t watcher_location(const struct watcher *watcher);
/* After the location's end: what is looked at of its time, without what was not measured. */
uint64_t watcher_lifetime(const struct watcher *watcher);
/* ... and locks that it has asked for and does not have where what is looked at ends before the location does. */
uint64_t watcher_open_requests(const struct watcher *watcher);

#endif
