/*
 * The threads of the kernel that samples of a running process are of. One number of the kernel's may be several threads
 * in turn, and samples may come before their thread was seen.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_LANES_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_LANES_H

#include "base/hash.h"
#include "base/vector.h"
#include "otf2-convert/live/live_look.h"

/* A thread of the kernel, or one of several that had the same number in turn. */
struct live_lane {
  uint64_t tid, begun; /* begun: ticks */
  uint32_t thread;     /* number in the process; UINT32_MAX: not known yet */
  uint32_t later;      /* 1 + the next one with the same tid; 0: none */
  uint64_t without_room, taken, told;
};

/* All zero at the begin. */
struct live_lanes {
  VECTOR(struct live_lane) all;
  struct hash of_tid;    /* tid -> the first lane */
  struct hash of_thread; /* number of a thread -> lane */
};

/* All zero again. */
void live_lanes_free(struct live_lanes *lanes);

/* Takes new threads of a look. *changed: is set if there are some. False: memory is short. */
bool live_lanes_note(struct live_lanes *lanes, const struct live_look *look, bool *changed);
/* The lane that the tid was at a time (ticks), which may be a new one; UINT32_MAX: memory is short, or there are too
 * many. */
uint32_t live_lanes_at(struct live_lanes *lanes, uint64_t tid, uint64_t ticks);
/* Of a thread of the process; NULL: it was not noted. */
struct live_lane *live_lanes_of(struct live_lanes *lanes, uint32_t thread);
/* Whether there are as many as there may be. */
bool live_lanes_full(const struct live_lanes *lanes);

#endif
