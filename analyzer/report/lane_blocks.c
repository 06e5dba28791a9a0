#include "analyzer/report/lane_blocks.h"

#include "analyzer/report/codes.h"

#include <stdlib.h>

void block_writer_begin(struct block_writer *writer, uint64_t time)
{
  writer->done = (struct block_list){0};
  writer->spooled = 0;
  writer->now = (struct block){.begin = time, .end = time};
  writer->used = 0;
}

static unsigned char *put_number(unsigned char *at, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    *at++ = (unsigned char)(number | 0x80);
  *at++ = (unsigned char)number;
  return at;
}

static bool keep_block(struct block_list *list, const struct block *block)
{
  if (list->count == list->capacity) {
    uint32_t capacity = list->capacity ? 2 * list->capacity : 1;
    struct block *blocks = reallocarray(list->list, capacity, sizeof *blocks);
    if (!blocks)
      return false;
    list->list = blocks;
    list->capacity = capacity;
  }
  list->list[list->count++] = *block;
  return true;
}

static bool end_block(struct block_writer *writer, struct deflater *deflater, struct spool *spool)
{
  struct block *now = &writer->now;
  size_t size;
  const unsigned char *bytes = deflater_piece(deflater, writer->bytes, writer->used, &size);
  now->bytes = (uint32_t)size;
  if (!spool_append(spool, bytes, size, &now->offset) || !keep_block(&writer->done, now))
    return false;
  writer->spooled += size;
  *now = (struct block){.begin = now->end, .end = now->end};
  writer->used = 0;
  return true;
}

/* The last share is what is left of the whole. */
static unsigned char *put_mixture(unsigned char *at, const struct mixture *mixture)
{
  struct mixture_share shares[MIXTURE_PARTS];
  unsigned count = mixture_shares(mixture, shares);
  at = put_number(at, count);
  for (unsigned i = 0; i < count; i++) {
    at = put_number(at, shares[i].code);
    if (i + 1 < count)
      at = put_number(at, shares[i].share);
  }
  return at;
}

bool block_writer_put(struct block_writer *writer, uint64_t duration, uint32_t code, const struct mixture *mixture,
                      struct deflater *deflater, struct spool *spool)
{
  struct block *now = &writer->now;
  bool full = now->segments == BLOCK_SEGMENTS || writer->used + SEGMENT_BYTES > BLOCK_BYTES;
  if (full && !end_block(writer, deflater, spool))
    return false;
  unsigned char *at = put_number(writer->bytes + writer->used, duration);
  at = put_number(at, code);
  if (code == CODE_ELIDED)
    at = put_mixture(at, mixture);
  writer->used = (size_t)(at - writer->bytes);
  now->segments++;
  now->end += duration;
  if (code != CODE_ELIDED && duration > now->longest)
    now->longest = duration;
  return true;
}

bool block_writer_end(struct block_writer *writer, struct deflater *deflater, struct spool *spool,
                      struct block_list *list)
{
  bool good = writer->now.segments == 0 || end_block(writer, deflater, spool);
  if (good) {
    *list = writer->done;
    writer->done = (struct block_list){0};
  } else {
    *list = (struct block_list){0};
    block_writer_drop(writer);
  }
  return good;
}

void block_writer_drop(struct block_writer *writer)
{
  free(writer->done.list);
  writer->done = (struct block_list){0};
  writer->now.segments = 0;
  writer->used = 0;
}
