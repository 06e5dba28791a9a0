/*
 * Lanes: what one location did, without gaps, at several levels of detail.
 *
 * Level 0 has every segment. Level k has those that last at least thresholds[k], unchanged and at their time; what is
 * between two of them is elided. So at a scale of s ticks a pixel, of all levels with a threshold of at most s, each
 * shows the same picture as level 0 does: what lasts less than a pixel is elided there anyway. A lane's length is the
 * same at every level: nothing is shifted, nothing made longer.
 *
 * Elided segments end at multiples of LANE_CELL thresholds, a few pixels at the scales that the level is for, and say
 * how long each state (or region) was shown in them. So each state's time is the same at every level, too.
 *
 * A level is made from the next finer one as that is written, so that a location is read once, and memory is a block a
 * level.
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

/* As many levels as a run of that length is drawn with: the coarsest is of use when it is a few hundred pixels wide. */
struct detail detail_of(uint64_t duration);

struct lane_level {
  struct block_list blocks;
  bool same; /* the level elides nothing that the next finer one has, and joins nothing: that one's blocks are its */
};

/* A finished lane. */
struct lane {
  unsigned levels;
  struct lane_level *level;
};

void lane_free(struct lane *lane);

/* The level whose blocks are those of this one. */
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
/* The next segment; an empty one is none. Errors are told at the end. */
void lane_writer_put(struct lane_writer *writer, uint64_t duration, uint32_t code);
/* False: no memory, or the spool's error. Else the caller frees the lane. Levels that the budget does not want have no
 * blocks, and no other level has theirs. */
bool lane_writer_end(struct lane_writer *writer, struct lane *lane);

#endif
