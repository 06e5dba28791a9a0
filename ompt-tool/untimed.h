/*
 * The short way of regions and work-sharing constructs that are left out: the clock is not read for each. Where they
 * follow each other at once, reading it costs as much as recording them. So it is read as long as that takes a small
 * part of the thread's time, and then for one of some, chosen at random. Those between two readings are counted;
 * raw_trace.h says which time they get (RAW_UNTIMED_NS).
 *
 * All of it is the calling thread's own.
 */
#ifndef HEDDLE_OMPT_TOOL_UNTIMED_H
#define HEDDLE_OMPT_TOOL_UNTIMED_H

#include "ompt-tool/omissions.h"

/* The thread has left an instance that was left out, at `now`: decides how many of those that follow are untimed. */
void untimed_decide(struct omission *omission, uint64_t now);

/* The thread enters one that is left out: it is untimed, if it may be. */
static inline void untimed_take(struct omission *omission, struct construct *frame)
{
  if (omission->untimed_most == 0)
    return;
  omission->untimed_most--;
  omission->untimed++;
  frame->untimed = true;
}

#endif
