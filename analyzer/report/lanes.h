/*
 * Lanes: the segments of one location, without gaps, at several levels of detail.
 *
 * Level 0 has every segment. Level k has the segments that last at least thresholds[k], unchanged and at their time;
 * the time between two of them is elided. At a scale of s ticks a pixel, all levels with a threshold of at most s look
 * alike. Segments shorter than a pixel are elided anyway. A lane has the same length at every level.
 *
 * Elided segments end at multiples of LANE_CELL thresholds, which are a few pixels at the level's scales. They hold the
 * time of each state (or region), so each state has the same time at every level.
 *
 * Each level is made while the next finer one is written: a location is read once, and memory is a block a level.
 */
#ifndef HEDDLE_ANALYZER_REPORT_LANES_H
#define HEDDLE_ANALYZER_REPORT_LANES_H

#include "analyzer/report/elements.h"
#include "analyzer/trace/output.h"
#include "analyzer/trace/states/state.h"
#include "base/vector.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MIXTURE_PARTS 24 /* at most, which is more than there are states; further regions are put together */
#define MIXTURE_WHOLE 32 /* shares of a mixture; lines are about so many pixels high */

enum { CODE_NOTHING, CODE_ELIDED, CODE_FIRST }; /* struct codes gives the others */

/* Contents of an elided segment: the time of each code. The times add up to the segment's length. */
struct mixture_part {
  uint32_t code; /* CODE_ELIDED: several codes beyond MIXTURE_PARTS */
  uint32_t rank; /* the code's order; other than its number, it does not depend on which thread needed it first */
  uint64_t ticks;
};

/* Parts are in the order of ranks. */
struct mixture {
  unsigned count;
  struct mixture_part parts[MIXTURE_PARTS];
};

/* Adds a part. */
void mixture_add(struct mixture *mixture, const struct mixture_part *part);
/* Adds all parts of the other. */
void mixture_merge(struct mixture *mixture, const struct mixture *other);

struct mixture_share {
  uint32_t code;
  unsigned share; /* parts of MIXTURE_WHOLE, at least 1 */
};

/* The mixture in shares that add up to MIXTURE_WHOLE. The parts' ends are rounded, so each share is off by less than
 * one. Returns the number of shares; very small parts have none. */
unsigned mixture_shares(const struct mixture *mixture, struct mixture_share shares[MIXTURE_PARTS]);

/*
 * Codes: small numbers for the contents of a lane's segments, a state in a construct or an open region. Any thread may
 * ask for a code; new ones get the next number.
 */
struct code {
  uint32_t state;  /* TRACE_NONE: a region only */
  uint32_t region; /* TRACE_NONE: outside any */
};

struct codes;

/* NULL: out of memory. */
struct codes *codes_create(uint32_t region_count);
void codes_destroy(struct codes *codes);

/* `region` may be TRACE_NONE in codes_of_state(). */
uint32_t codes_of_state(struct codes *codes, enum state state, uint32_t region);
uint32_t codes_of_region(struct codes *codes, uint32_t region);

/* The part of a mixture that a code's time belongs to, without ticks: states without their construct, or a region. */
struct mixture_part codes_mixed(struct codes *codes, uint32_t code);

/* Codes are 0 .. count-1. Only while no thread makes new ones. */
uint32_t codes_count(const struct codes *codes);
struct code codes_get(const struct codes *codes, uint32_t code);

/*
 * Blocks: the segments of a lane at one level of detail. Each block is compressed by itself and can be found by its
 * time. It has the length of its longest segment: the page does not load blocks in which nothing is visible.
 */

/* Limits. LEB128 takes 10 bytes for ticks, 5 for a code, 1 for a share. */
#define BLOCK_SEGMENTS 2046
#define SEGMENT_BYTES  (10 + 5 + 1 + MIXTURE_PARTS * (5 + 1))
#define BLOCK_BYTES    (BLOCK_SEGMENTS * (10 + 5)) /* before compression */

/* Times are ticks since the run's start. */
struct block {
  uint64_t begin, end;
  uint64_t longest; /* segment that is not elided */
  uint64_t offset;  /* in the spool */
  uint32_t segments, bytes;
};

struct block_list {
  struct block *list;
  uint32_t count;
};

/* The block being filled, and those before it. */
struct block_writer {
  VECTOR(struct block) done;
  uint64_t spooled; /* bytes of blocks since this was last set to 0 */
  struct block now;
  size_t used;
  unsigned char bytes[BLOCK_BYTES];
};

/* All zero is a writer without blocks; a lane begins at that time. */
void block_writer_begin(struct block_writer *writer, uint64_t time);

/* Adds a segment; an elided one with its mixture. False: out of memory, or the spool's error. */
bool block_writer_put(struct block_writer *writer, uint64_t duration, uint32_t code, const struct mixture *mixture,
                      struct deflater *deflater, struct spool *spool);

/* Ends the last block and returns the list, which the caller frees. False: as above, with an empty list. */
bool block_writer_end(struct block_writer *writer, struct deflater *deflater, struct spool *spool,
                      struct block_list *list);

/* Forgets all blocks. */
void block_writer_drop(struct block_writer *writer);

/* Frees its memory. */
void block_writer_free(struct block_writer *writer);

#define LEVELS_MAX 24

/*
 * Budget of a file of limited size: the levels of detail that may still fit. A file has the coarsest levels that fit. A
 * level is no longer written if its blocks, together with the blocks of all coarser levels, are larger than the file.
 * This bounds the time for compression and the temporary file. Any thread may use one.
 */
struct level_budget {
  uint64_t limit;                     /* bytes of blocks in the file; 0: all levels are wanted */
  unsigned levels;                    /* the coarsest one is always wanted */
  _Atomic unsigned from;              /* the finest level that may still fit; it only grows */
  _Atomic uint64_t bytes[LEVELS_MAX]; /* size of each level's blocks so far, compressed */
};

/* True if blocks of the level are wanted. NULL: no budget, all are. */
static inline bool level_budget_wants(const struct level_budget *budget, unsigned level)
{
  return !budget || level >= atomic_load_explicit(&budget->from, memory_order_relaxed);
}

/* Adds bytes of blocks of a level. */
void level_budget_add(struct level_budget *budget, unsigned level, uint64_t bytes);

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
 * itself in mixtures, ranked by its number. Without a budget (NULL) all levels are written. NULL: out of memory.
 */
struct lane_writer *lane_writer_create(const struct detail *detail, struct codes *codes, struct deflater *deflater,
                                       struct spool *spool, struct level_budget *budget);
void lane_writer_destroy(struct lane_writer *writer);

void lane_writer_begin(struct lane_writer *writer, uint64_t time);
/* The next segment; empty ones are ignored. lane_writer_end() reports errors. */
void lane_writer_put(struct lane_writer *writer, uint64_t duration, uint32_t code);
/* False: out of memory, or the spool's error. Else the caller frees the lane. Levels that the budget does not want have
 * no blocks, and no other level has theirs. */
bool lane_writer_end(struct lane_writer *writer, struct lane *lane);

#endif
