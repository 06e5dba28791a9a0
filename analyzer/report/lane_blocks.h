/*
 * The segments of a lane at one level of detail, in blocks: each is compressed by itself and can be found by its time,
 * and says how long its longest segment is, so that whoever draws at a scale at which nothing in it can be seen need
 * not load it.
 */
#ifndef HEDDLE_ANALYZER_REPORT_LANE_BLOCKS_H
#define HEDDLE_ANALYZER_REPORT_LANE_BLOCKS_H

#include "analyzer/report/deflated.h"
#include "analyzer/trace/spool.h"

#define BLOCK_SEGMENTS 2046                        /* at most */
#define BLOCK_BYTES    (BLOCK_SEGMENTS * (10 + 5)) /* at most, before compression: LEB128 of a duration and a code */

/* Times are ticks since the run's start. */
struct block {
  uint64_t begin, end;
  uint64_t longest; /* segment that is not elided */
  uint64_t offset;  /* in the spool */
  uint32_t segments, bytes;
};

struct block_list {
  struct block *list;
  uint32_t count, capacity;
};

/* The block being filled, and those before it. */
struct block_writer {
  struct block_list done;
  struct block now;
  size_t used;
  unsigned char bytes[BLOCK_BYTES];
};

void block_writer_begin(struct block_writer *writer, uint64_t time);

/* Adds a segment. False: no memory, or the spool's error. */
bool block_writer_put(struct block_writer *writer, uint64_t duration, uint32_t code, struct deflater *deflater,
                      struct spool *spool);

/* Ends the last block and hands over the list, which the caller frees. False: as above; the list is empty then. */
bool block_writer_end(struct block_writer *writer, struct deflater *deflater, struct spool *spool,
                      struct block_list *list);

/* Forgets everything. */
void block_writer_drop(struct block_writer *writer);

#endif
