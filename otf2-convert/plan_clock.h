/*
 * One clock for the archive. Where all processes recorded the same clock of the same machine their ticks are kept; else
 * all times become nanoseconds of CLOCK_REALTIME, each process' by its own anchors.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_CLOCK_H
#define HEDDLE_OTF2_CONVERT_PLAN_CLOCK_H

#include "otf2-convert/process.h"

/* Fills the clock members of all processes. Returns the archive's ticks a second. */
uint64_t plan_clock_choose(struct process *processes, size_t count);

/* CLOCK_REALTIME at an archive time, in ns, by the clock of the first process; 0: it has no such time. */
uint64_t plan_clock_realtime(const struct process *first, uint64_t resolution, uint64_t time);

#endif
