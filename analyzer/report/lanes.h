/*
 * Lanes: the segments of one location, without gaps, at several levels of detail.
 *
 * Level 0 has every segment. Level k has the segments that last at least thresholds[k], unchanged and at their time;
 * the time between two of them is elided. At a scale of s ticks a pixel, all levels with a threshold of at most s show
 * the same picture, because segments shorter than a pixel are elided anyway. A lane has the same length at every level.
 *
 * Elided segments end at multiples of LANE_CELL thresholds, which are a few pixels at the level's scales. They hold the
 * time of each state (or region), so each state has the same time at every level.
 *
 * Each level is made while the next finer one is written: a location is read once, and memory is a block a level.
 */
#ifndef HEDDLE_ANALYZER_REPORT_LANES_H
#define HEDDLE_ANALYZER_REPORT_LANES_H

#include "analyzer/report/codes.h"
#include "analyzer/report/lane_blocks.h"
#include "analyzer/report/level_budget.h"

#define LANE_CELL 4 /* thresholds: what an elided segment is in */

/* The levels of a run: the same for all its lanes. */
struct detail {
  unsigned levels;
  uint64_t thresholds[LEVELS_MAX]; /* ticks, each a multiple of the one before; 0, 1024, 4096, ... */
};

/* The levels for a run of that length. The coarsest is useful if the run is a few hundred pixels wide. */
struct detail detail_of(uint64_t duration);

struct lane_level {
  struct block_list blocks;
  bool same; /* as the next finer level, whose blocks it uses */
};

/* A finished lane. */
struct lane {
  unsigned levels;
  struct lane_level *level;
};

void lane_free(struct lane *lane);

/* The level whose blocks this level uses. */
unsigned lane_level_of(const struct lane *lane, unsigned level);

struct lane_writer;

/*
 * Writes one lane after the other, for one thread. The arguments outlive it. Without codes (NULL) each code stands for
 * itself in mixtures, ranked by its number. Without a budget (NULL) all levels are written. NULL: no memory.
 */
struct lane_writer *lane_writer_create(const struct detail *detail, struct codes *codes, struct deflater *deflater,
                                       struct spool *spool, struct level_budget *budget);
void lane_writer_destroy(struct lane_writer *writer);

void lane_writer_begin(struct lane_writer *writer, uint64_t time);
/* The next segment; empty ones are ignored. lane_writer_end() reports errors. */
void lane_writer_put(struct lane_writer *writer, uint64_t duration, uint32_t code);
/* False: no memory, or the spool's error. Else the caller frees the lane. Levels that the budget does not want have no
 * blocks, and no other level has theirs. */
bool lane_writer_end(struct lane_writer *writer, struct lane *lane);

#endif
