/*
 * The last look at a process that has ended. Who watches it (live.h) holds a shared lock on its directory; who removes
 * its files (main.c) lets watchers take a last look, and waits for them a moment.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LAST_LOOK_H
#define HEDDLE_OTF2_CONVERT_LIVE_LAST_LOOK_H

#include "otf2-convert/plan/plan.h"

#include <stdbool.h>

/* One watcher's. Any of it may be missing on a file system or machine: then its files may go before a last look. */
struct last_look {
  int directory; /* of the process; the watcher's own */
  int notices;   /* of its file `process`; -1: none come */
};

void last_look_begin(struct last_look *last, int directory);

/* Waits for standard input (false) or for the end of the process (true: it may have ended). */
bool last_look_wait(struct last_look *last);

/* The look is taken, or is of no use: the files may go. May be called again. */
void last_look_end(struct last_look *last);

/* Tells all watchers of the processes of the plan that they are over, and waits until they have looked: a second in
 * all at most. */
void last_look_let(const struct plan *plan);

#endif
