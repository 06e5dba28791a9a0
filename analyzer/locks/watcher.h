/* Private to locks/: what one location does to locks, in order of time. */
#ifndef HEDDLE_ANALYZER_LOCKS_WATCHER_H
#define HEDDLE_ANALYZER_LOCKS_WATCHER_H

#include "analyzer/locks/locks.h"
#include "analyzer/trace/stream.h"

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
  uint64_t since;         /* asked for (acquired, blocked), or acquired (released); Java, acquired: the same as time */
  uint64_t number;        /* as in struct lock */
  uint32_t region;        /* where it was asked for */
  const char *class_name; /* Java, "" unknown; else NULL */
  /* Asked, blocked, left, given up, regained: */
  uint64_t owner;       /* Thread.getId(); 0 unknown. Unparked: who is */
  uint32_t owner_place; /* region */
};

struct watcher;

/* `rules`: what asks for a lock, one a region (watcher_rules). `error` and these outlive it. NULL: failed. */
struct watcher *watcher_open(const struct trace *trace, uint32_t location, const uint8_t *rules,
                             struct trace_error *error);
void watcher_close(struct watcher *watcher);

/* The caller frees it. NULL: no memory. */
uint8_t *watcher_rules(const struct trace *trace);

/*
 * The next event, good until the next call; NULL at the end, and after an error: *good tells. The location's events are
 * let go of when the end is reached.
 */
const struct lock_event *watcher_next(struct watcher *watcher, bool *good);

/* From the first event to the last one read. */
uint64_t watcher_lifetime(const struct watcher *watcher);

#endif
