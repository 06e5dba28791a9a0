#include "analyzer/report/lane_blocks.h"

#include "analyzer/report/codes.h"

#include <string.h>

void block_writer_begin(struct block_writer *writer, uint64_t time)
{
  writer->done.count = 0;
  writer->spooled = 0;
  writer->now = (struct block){.begin = time, .end = time};
  writer->used = 0;
}

static unsigned char *lane_blocks_put_number(unsigned char *at, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    *at++ = (unsigned char)(number | 0x80);
  *at++ = (unsigned char)number;
  return at;
}

static bool end_block(struct block_writer *writer, struct deflater *deflater, struct spool *spool)
{
  struct block *now = &writer->now;
  size_t size;
  const unsigned char *bytes = deflater_piece(deflater, writer->bytes, writer->used, &size);
  now->bytes = (uint32_t)size;
  if (!spool_append(spool, bytes, size, &now->offset) || !vector_push(&writer->done, *now))
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
  at = lane_blocks_put_number(at, count);
  for (unsigned i = 0; i < count; i++) {
    at = lane_blocks_put_number(at, shares[i].code);
    if (i + 1 < count)
      at = lane_blocks_put_number(at, shares[i].share);
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
  unsigned char *at = lane_blocks_put_number(writer->bytes + writer->used, duration);
  at = lane_blocks_put_number(at, code);
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
  size_t count = writer->done.count + (writer->now.segments > 0);
  *list = (struct block_list){0};
  if (count == 0)
    return true;
  bool good = writer->now.segments == 0 || end_block(writer, deflater, spool);
  if (good && (list->list = reallocarray(NULL, count, sizeof *list->list)) != NULL) {
    memcpy(list->list, writer->done.items, count * sizeof *list->list);
    list->count = (uint32_t)count;
  }
  writer->done.count = 0;
  return list->count > 0;
}

void block_writer_drop(struct block_writer *writer)
{
  writer->done.count = 0;
  writer->now.segments = 0;
  writer->used = 0;
}

void block_writer_free(struct block_writer *writer)
{
  vector_free(&writer->done);
}
