/*
 * One clock for the archive. Where all processes recorded the same clock of the same machine their ticks are kept; else
 * all times become nanoseconds of CLOCK_REALTIME, each process' by its own anchors.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_CLOCK_H
#define HEDDLE_OTF2_CONVERT_PLAN_CLOCK_H

#include "otf2-convert/plan.h"

/* Fills the clock members of the plan and its processes. */
void plan_choose_clock(struct plan *plan);

#endif
