/*
 * Of how many parallel regions of a place one is seen (away.h): so many that the instances inside that are left out,
 * each of which costs its callbacks, take no more than a part of the budget.
 *
 * Each thread knows what share of its time they take; regions are decided by the only root's thread. So
 * away_plan_region, away_plan_see and away_plan_leave are that thread's.
 */
#ifndef HEDDLE_OMPT_TOOL_AWAY_PLAN_H
#define HEDDLE_OMPT_TOOL_AWAY_PLAN_H

#include "common/budget.h"

#define AWAY_MOST 0xfffeu /* regions that a recorded one stands for, besides itself */

struct away_place {
  uint64_t code;
  _Atomic uint32_t wanted; /* `every` from the next block on; what the thread wants that is worst off */
  _Atomic uint32_t every;  /* one of so many regions is seen; 1: all are */
  _Atomic uint32_t seen;   /* regions so far */
  uint32_t unseen;         /* regions since the last recorded one */
  uint32_t stretches;      /* live_stretches that it has followed */
};

/* HEDDLE_AWAY: `every` of all places; else from the budget's share. */
void away_plan_begin(const struct budget_settings *settings);

/* A region begins at the place of a row. NULL: there are too many places, and all regions are seen. */
struct away_place *away_plan_region(struct budget_row *row);
/* Callbacks stay in it. */
void away_plan_see(struct away_place *place);
/* It has ended. */
void away_plan_leave(void);

#endif
