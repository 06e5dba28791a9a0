/*
 * What parallel regions add in which nothing was seen. Of the instances of a region one of N is seen, chosen at random
 * in each block of N, and the others are executed without callbacks. A seen instance is one sample, whatever happened
 * in it: the sum of a figure over the instance, also if that is 0. So the interval knows how much the instances differ.
 *
 * One thread's. A figure is the number of executions of a construct, say, or their time; its key is the caller's.
 * Threads of a team do much or little in the same instances, so their estimates depend on each other.
 */
#ifndef HEDDLE_ANALYZER_ESTIMATES_UNSEEN_H
#define HEDDLE_ANALYZER_ESTIMATES_UNSEEN_H

#include "analyzer/estimates/sampling.h"
#include "base/hash.h"
#include "base/vector.h"

struct unseen_figure {
  uint64_t key;
  uint64_t value; /* in the newest instance */
  struct sampling sampling;
  struct estimate more;
};

struct unseen_region {
  uint32_t region;
  bool seen;            /* any instance */
  uint64_t weight;      /* of the newest instance: itself, and the unseen ones before it */
  uint64_t gap;         /* unseen instances since then */
  struct sampling none; /* of a figure that was 0 so far */
  VECTOR(struct unseen_figure) figures;
  struct hash index; /* key -> figure */
};

/* {0} at the begin. */
struct unseen {
  VECTOR(struct unseen_region) regions;
  struct hash index; /* region -> its place in `regions` */
  size_t depth;      /* of regions that the thread is in */
  size_t newest;     /* 1 + place of the outermost region that is open, or was last; 0: none yet */
};

/* So many instances of a region were unseen. False: no memory, here and below. */
bool unseen_skip(struct unseen *unseen, uint32_t region, uint64_t instances);
/* The thread enters a parallel region, or leaves one. */
bool unseen_enter(struct unseen *unseen, uint32_t region);
void unseen_leave(struct unseen *unseen);
/* Adds to a figure, if the thread is in a region; `late`: also if it has just left it. */
bool unseen_add(struct unseen *unseen, uint64_t key, uint64_t value, bool late);

/* Gets what unseen instances add to a figure; one key may come several times. False ends it. */
typedef bool unseen_sink(void *context, uint64_t key, const struct estimate *more);
/* After the last event. False: the sink said so. */
bool unseen_end(struct unseen *unseen, unseen_sink *sink, void *context);

void unseen_free(struct unseen *unseen);

#endif
