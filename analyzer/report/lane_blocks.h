/*
 * The segments of a lane at one level of detail, in blocks. Each block is compressed by itself and can be found by its
 * time. It has the length of its longest segment, so the page need not load blocks in which nothing is visible.
 */
#ifndef HEDDLE_ANALYZER_REPORT_LANE_BLOCKS_H
#define HEDDLE_ANALYZER_REPORT_LANE_BLOCKS_H

#include "analyzer/report/deflated.h"
#include "analyzer/report/mixture.h"
#include "analyzer/trace/output.h"
#include "base/vector.h"

/* At most. LEB128 takes 10 bytes for ticks, 5 for a code, 1 for a share. */
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

/* Adds a segment; an elided one with its mixture. False: no memory, or the spool's error. */
bool block_writer_put(struct block_writer *writer, uint64_t duration, uint32_t code, const struct mixture *mixture,
                      struct deflater *deflater, struct spool *spool);

/* Ends the last block and returns the list, which the caller frees. False: as above, with an empty list. */
bool block_writer_end(struct block_writer *writer, struct deflater *deflater, struct spool *spool,
                      struct block_list *list);

/* Forgets all blocks. */
void block_writer_drop(struct block_writer *writer);

/* Frees its memory. */
void block_writer_free(struct block_writer *writer);

#endif
