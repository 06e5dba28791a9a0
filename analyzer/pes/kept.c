#include "analyzer/pes/kept.h"

#include "analyzer/pes/leb128.h"
#include "analyzer/trace/spool.h"

#include <stdlib.h>

enum { BLOCK = 1 << 16, LONGEST = 2 * LEB128_MOST /* bytes of a record */ };

/* Records never go from one block into the next. */
struct block {
  uint32_t records;
  unsigned char bytes[BLOCK - sizeof(uint32_t)];
};

struct kept {
  struct spool *spool; /* NULL: no block was full so far */
  uint64_t full;       /* blocks in it */
  struct block last;
  size_t used;    /* bytes of the last block */
  uint64_t entry; /* of the last record */
};

struct kept *kept_create(void)
{
  return calloc(1, sizeof(struct kept));
}

void kept_destroy(struct kept *kept)
{
  if (!kept)
    return;
  spool_destroy(kept->spool);
  free(kept);
}

static bool put_away(struct kept *kept, struct error *error)
{
  uint64_t offset;
  if (!kept->spool && !(kept->spool = spool_create(error)))
    return false;
  if (!spool_append(kept->spool, &kept->last, sizeof kept->last, &offset))
    return spool_fail(kept->spool, error);
  kept->full++;
  kept->last.records = 0;
  kept->used = 0;
  return true;
}

bool kept_add(void *context, const struct pes_record *record, struct error *error)
{
  struct kept *kept = context;
  if (kept->used + LONGEST > sizeof kept->last.bytes && !put_away(kept, error))
    return false;
  unsigned char *to = leb128_put(kept->last.bytes + kept->used, record->entry - kept->entry);
  kept->used = (size_t)(leb128_put(to, record->state) - kept->last.bytes);
  kept->entry = record->entry;
  kept->last.records++;
  return true;
}

struct kept_stream {
  struct pes_stream stream;
  struct pes_program *program;
  struct kept *kept;
  struct block *block; /* room for one of those in the spool */
  uint64_t next;       /* the block that is read next */
  const struct block *now;
  const unsigned char *at;
  uint32_t left; /* records of the block that is read now */
  uint64_t entry;
};

/* *more: there is one. */
static bool next_block(struct kept_stream *stream, bool *more, struct error *error)
{
  const struct kept *kept = stream->kept;
  *more = stream->next <= kept->full;
  if (!*more)
    return true;
  stream->now = stream->next < kept->full ? stream->block : &kept->last;
  if (stream->next < kept->full && !spool_read(kept->spool, stream->next * BLOCK, stream->block, BLOCK))
    return spool_fail(kept->spool, error);
  stream->next++;
  stream->at = stream->now->bytes;
  stream->left = stream->now->records;
  return true;
}

static bool next(struct pes_stream *base, struct pes_record *records, size_t *count, struct error *error)
{
  struct kept_stream *stream = (struct kept_stream *)base;
  bool more = true;
  while (*count < PES_BATCH && more) {
    if (stream->left == 0) {
      if (!next_block(stream, &more, error))
        return false;
      continue;
    }
    for (; stream->left > 0 && *count < PES_BATCH; stream->left--) {
      stream->entry += leb128_take(&stream->at);
      records[(*count)++] = (struct pes_record){stream->entry, (uint32_t)leb128_take(&stream->at)};
    }
  }
  return true;
}

static bool begin_again(struct pes_stream *base, struct error *error)
{
  struct kept_stream *stream = (struct kept_stream *)base;
  (void)error;
  stream->next = 0;
  stream->left = 0;
  stream->entry = 0;
  return true;
}

static void close_stream(struct pes_stream *base)
{
  struct kept_stream *stream = (struct kept_stream *)base;
  kept_destroy(stream->kept);
  pes_program_free(stream->program);
  pes_states_free(base->states);
  free(stream->block);
  free(stream);
}

struct pes_stream *kept_stream(struct kept *kept, struct pes_program *program, struct pes_states *states,
                               struct pes_end end)
{
  static const struct pes_class class = {next, begin_again, close_stream};
  struct kept_stream *stream = calloc(1, sizeof *stream);
  struct block *block = stream && kept->full > 0 ? malloc(sizeof *block) : NULL;
  if (!stream || (kept->full > 0 && !block)) {
    free(stream);
    kept_destroy(kept);
    pes_program_free(program);
    pes_states_free(states);
    return NULL;
  }
  *stream = (struct kept_stream){
      .stream = {.class = &class, .program = program, .states = states, .has_all_states = true, .end = end},
      .program = program,
      .kept = kept,
      .block = block};
  return &stream->stream;
}
