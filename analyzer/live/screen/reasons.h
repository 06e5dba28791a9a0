/*
 * Why the threads do not do more: the search of analyzer/findings/why in the readings that the screen takes. It begins
 * when it is asked for, and what it says is of the time since then; after REASONS_PARTS readings it begins again, so
 * that it tells of what the program does now.
 */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_REASONS_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_REASONS_H

#include "analyzer/findings/why/sums.h"
#include "analyzer/live/readings/reading.h"

#define REASONS_PARTS (2 * WHY_PARTS_MOST)

struct reasons {
  bool on;
  struct live_reading base; /* where it begins; without threads: it has not */
  struct why parts[REASONS_PARTS];
  struct findings part_findings[REASONS_PARTS];
  size_t part_count;
  struct findings findings;
  struct why why; /* without nodes: nothing is known yet */
};

/* A reading has come; between: what came since the one before. False: no memory. */
bool reasons_add(struct reasons *reasons, const struct live_reading *now, const struct live_reading *between);
/* The search begins again, if it is on. */
void reasons_restart(struct reasons *reasons);
void reasons_free(struct reasons *reasons);

#endif
