#include "analyzer/models/sequences/record_store.h"

#include "analyzer/models/sequences/binary.h"
#include "analyzer/trace/output.h"

#include <stdlib.h>

enum { BLOCK = 1 << 16, LONGEST = 2 * LEB128_MOST /* bytes of a record */ };

/* Records never go from one block into the next. */
struct record_store_block {
  uint32_t records;
  unsigned char bytes[BLOCK - sizeof(uint32_t)];
};

struct record_store {
  struct spool *spool; /* NULL: no block was full so far */
  uint64_t full;       /* blocks in it */
  struct record_store_block last;
  size_t used;    /* bytes of the last block */
  uint64_t entry; /* of the last record */
};

struct record_store *record_store_create(void)
{
  return calloc(1, sizeof(struct record_store));
}

void record_store_destroy(struct record_store *store)
{
  if (!store)
    return;
  spool_destroy(store->spool);
  free(store);
}

static bool put_away(struct record_store *store, struct error *error)
{
  uint64_t offset;
  if (!store->spool && !(store->spool = spool_create(error)))
    return false;
  if (!spool_append(store->spool, &store->last, sizeof store->last, &offset))
    return spool_fail(store->spool, error);
  store->full++;
  store->last.records = 0;
  store->used = 0;
  return true;
}

bool record_store_add(void *context, const struct pes_record *record, struct error *error)
{
  struct record_store *store = context;
  if (store->used + LONGEST > sizeof store->last.bytes && !put_away(store, error))
    return false;
  unsigned char *to = leb128_put(store->last.bytes + store->used, record->entry - store->entry);
  store->used = (size_t)(leb128_put(to, record->state) - store->last.bytes);
  store->entry = record->entry;
  store->last.records++;
  return true;
}

struct record_store_stream {
  struct pes_stream stream;
  struct pes_program *program;
  struct record_store *store;
  struct record_store_block *block; /* room for a block of the spool */
  uint64_t next;                    /* the block that is read next */
  const struct record_store_block *now;
  const unsigned char *at;
  uint32_t left; /* records of the block that is read now */
  uint64_t entry;
};

/* *more: there is one. */
static bool next_block(struct record_store_stream *stream, bool *more, struct error *error)
{
  const struct record_store *store = stream->store;
  *more = stream->next <= store->full;
  if (!*more)
    return true;
  stream->now = stream->next < store->full ? stream->block : &store->last;
  if (stream->next < store->full && !spool_read(store->spool, stream->next * BLOCK, stream->block, BLOCK))
    return spool_fail(store->spool, error);
  stream->next++;
  stream->at = stream->now->bytes;
  stream->left = stream->now->records;
  return true;
}

static bool record_store_next(struct pes_stream *base, struct pes_record *records, size_t *count, struct error *error)
{
  struct record_store_stream *stream = (struct record_store_stream *)base;
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

static bool record_store_begin_again(struct pes_stream *base, struct error *error)
{
  struct record_store_stream *stream = (struct record_store_stream *)base;
  (void)error;
  stream->next = 0;
  stream->left = 0;
  stream->entry = 0;
  return true;
}

static void record_store_close_stream(struct pes_stream *base)
{
  struct record_store_stream *stream = (struct record_store_stream *)base;
  record_store_destroy(stream->store);
  pes_program_free(stream->program);
  pes_states_free(base->states);
  free(stream->block);
  free(stream);
}

struct pes_stream *record_store_stream(struct record_store *store, struct pes_program *program,
                                       struct pes_states *states, struct pes_end end)
{
  static const struct pes_class class = {record_store_next, record_store_begin_again, record_store_close_stream};
  struct record_store_stream *stream = calloc(1, sizeof *stream);
  struct record_store_block *block = stream && store->full > 0 ? malloc(sizeof *block) : NULL;
  if (!stream || (store->full > 0 && !block)) {
    free(stream);
    record_store_destroy(store);
    pes_program_free(program);
    pes_states_free(states);
    return NULL;
  }
  *stream = (struct record_store_stream){
      .stream = {.class = &class, .program = program, .states = states, .has_all_states = true, .end = end},
      .program = program,
      .store = store,
      .block = block};
  return &stream->stream;
}
