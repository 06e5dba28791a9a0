#include "analyzer/report/lanes.h"

#include "analyzer/report/elements.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LAST UINT32_MAX /* rank */

void mixture_add(struct mixture *mixture, const struct mixture_part *part)
{
  struct mixture_part *parts = mixture->parts;
  unsigned at = 0;
  while (at < mixture->count && parts[at].rank < part->rank)
    at++;
  if (at < mixture->count && parts[at].rank == part->rank) {
    parts[at].ticks += part->ticks;
    return;
  }
  /* The last place is kept for all that finds no other. */
  if (part->rank != LAST && mixture->count + 1 >= MIXTURE_PARTS) {
    mixture_add(mixture, &(struct mixture_part){CODE_ELIDED, LAST, part->ticks});
    return;
  }
  memmove(&parts[at + 1], &parts[at], (mixture->count - at) * sizeof *parts);
  parts[at] = *part;
  mixture->count++;
}

void mixture_merge(struct mixture *mixture, const struct mixture *other)
{
  for (unsigned i = 0; i < other->count; i++)
    mixture_add(mixture, &other->parts[i]);
}

unsigned mixture_shares(const struct mixture *mixture, struct mixture_share shares[MIXTURE_PARTS])
{
  uint64_t total = 0, ticks = 0;
  unsigned count = 0, before = 0;
  for (unsigned i = 0; i < mixture->count; i++)
    total += mixture->parts[i].ticks;
  for (unsigned i = 0; i < mixture->count; i++) {
    ticks += mixture->parts[i].ticks;
    unsigned end = (unsigned)((2 * MIXTURE_WHOLE * ticks + total) / (2 * total));
    if (end > before)
      shares[count++] = (struct mixture_share){mixture->parts[i].code, end - before};
    before = end;
  }
  return count;
}

/* A row a region and one for none, a column a state and one for a region alone. 0: not given out yet. */
#define COLUMNS (STATES + 1)

struct codes {
  pthread_mutex_t mutex; /* of `list` and `count` */
  uint32_t regions;
  uint32_t count;
  struct code *list;
  _Atomic uint32_t numbers[];
};

struct codes *codes_create(uint32_t region_count)
{
  size_t cells = ((size_t)region_count + 1) * COLUMNS;
  struct codes *codes = calloc(1, sizeof *codes + cells * sizeof codes->numbers[0]);
  struct code *list = calloc(cells + CODE_FIRST, sizeof *list);
  if (!codes || !list) {
    free(codes);
    free(list);
    return NULL;
  }
  pthread_mutex_init(&codes->mutex, NULL);
  codes->regions = region_count;
  codes->list = list;
  codes->count = CODE_FIRST;
  list[CODE_NOTHING] = list[CODE_ELIDED] = (struct code){TRACE_NONE, TRACE_NONE};
  return codes;
}

void codes_destroy(struct codes *codes)
{
  if (!codes)
    return;
  pthread_mutex_destroy(&codes->mutex);
  free(codes->list);
  free(codes);
}

static uint32_t give_out(struct codes *codes, _Atomic uint32_t *number, struct code code)
{
  pthread_mutex_lock(&codes->mutex);
  if (*number == 0) {
    codes->list[codes->count] = code;
    *number = codes->count++;
  }
  pthread_mutex_unlock(&codes->mutex);
  return *number;
}

static uint32_t look_up(struct codes *codes, uint32_t column, struct code code)
{
  size_t row = code.region == TRACE_NONE ? codes->regions : code.region;
  _Atomic uint32_t *number = &codes->numbers[row * COLUMNS + column];
  uint32_t known = *number;
  return known ? known : give_out(codes, number, code);
}

uint32_t codes_of_state(struct codes *codes, enum state state, uint32_t region)
{
  /* Its code in mixtures gets a number before it. Otherwise the number would depend on the lane that elides it first.
   */
  if (region != TRACE_NONE)
    look_up(codes, state, (struct code){state, TRACE_NONE});
  return look_up(codes, state, (struct code){state, region});
}

uint32_t codes_of_region(struct codes *codes, uint32_t region)
{
  return look_up(codes, STATES, (struct code){TRACE_NONE, region});
}

struct mixture_part codes_mixed(struct codes *codes, uint32_t number)
{
  struct code code = codes->list[number];
  if (code.state != TRACE_NONE)
    return (struct mixture_part){.code = codes_of_state(codes, code.state, TRACE_NONE), .rank = 1 + code.state};
  return (struct mixture_part){.code = number, .rank = code.region == TRACE_NONE ? 0 : 1 + code.region};
}

uint32_t codes_count(const struct codes *codes)
{
  return codes->count;
}

struct code codes_get(const struct codes *codes, uint32_t code)
{
  return codes->list[code];
}

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

void level_budget_add(struct level_budget *budget, unsigned level, uint64_t bytes)
{
  if (!budget)
    return;
  atomic_fetch_add_explicit(&budget->bytes[level], bytes, memory_order_relaxed);
  unsigned from = atomic_load_explicit(&budget->from, memory_order_relaxed);
  uint64_t total = 0;
  for (unsigned i = budget->levels; i-- > from;) {
    total += atomic_load_explicit(&budget->bytes[i], memory_order_relaxed);
    if (budget->limit == 0 || base64_size(total) <= budget->limit || i + 1 == budget->levels)
      continue;
    /* Level i cannot be in the file. */
    while (from <= i && !atomic_compare_exchange_weak_explicit(&budget->from, &from, i + 1, memory_order_relaxed,
                                                               memory_order_relaxed))
      ;
    return;
  }
}

enum { FIRST_THRESHOLD = 1024, STEP = 4, FEWEST_PIXELS = 64 };

struct level_writer {
  uint64_t threshold;
  uint64_t now;           /* where what came last ends */
  uint64_t elided;        /* ticks up to there that are not written yet */
  struct mixture mixture; /* contents of the elided ticks */
  bool differs;           /* from the next finer level */
  bool unwanted;          /* in this lane: some or all blocks are not written */
  struct block_writer blocks;
};

struct lane_writer {
  struct codes *codes; /* or NULL */
  struct deflater *deflater;
  struct spool *spool;
  struct level_budget *budget; /* or NULL */
  bool failed;
  unsigned count;
  struct level_writer levels[];
};

struct detail detail_of(uint64_t duration)
{
  struct detail detail = {.levels = 1};
  for (uint64_t threshold = FIRST_THRESHOLD; detail.levels < LEVELS_MAX && threshold <= duration / FEWEST_PIXELS;
       threshold *= STEP)
    detail.thresholds[detail.levels++] = threshold;
  return detail;
}

void lane_free(struct lane *lane)
{
  for (unsigned i = 0; i < lane->levels; i++)
    free(lane->level[i].blocks.list);
  free(lane->level);
  *lane = (struct lane){0};
}

unsigned lane_level_of(const struct lane *lane, unsigned level)
{
  while (lane->level[level].same)
    level--;
  return level;
}

struct lane_writer *lane_writer_create(const struct detail *detail, struct codes *codes, struct deflater *deflater,
                                       struct spool *spool, struct level_budget *budget)
{
  struct lane_writer *writer = calloc(1, sizeof *writer + detail->levels * sizeof writer->levels[0]);
  if (!writer)
    return NULL;
  writer->codes = codes;
  writer->deflater = deflater;
  writer->spool = spool;
  writer->budget = budget;
  writer->count = detail->levels;
  for (unsigned i = 0; i < writer->count; i++)
    writer->levels[i].threshold = detail->thresholds[i];
  return writer;
}

void lane_writer_destroy(struct lane_writer *writer)
{
  for (unsigned i = 0; writer && i < writer->count; i++)
    block_writer_free(&writer->levels[i].blocks);
  free(writer);
}

void lane_writer_begin(struct lane_writer *writer, uint64_t time)
{
  writer->failed = false;
  for (unsigned i = 0; i < writer->count; i++) {
    block_writer_drop(&writer->levels[i].blocks);
    block_writer_begin(&writer->levels[i].blocks, time);
    writer->levels[i].now = time;
    writer->levels[i].elided = 0;
    writer->levels[i].mixture.count = 0;
    writer->levels[i].differs = writer->levels[i].unwanted = false;
  }
}

static void join(struct lane_writer *writer, unsigned at, uint64_t duration, const struct mixture *mixture);

/* The blocks that were written since this was last asked count in the budget. */
static void count_bytes(const struct lane_writer *writer, unsigned at, struct block_writer *blocks)
{
  if (blocks->spooled > 0)
    level_budget_add(writer->budget, at, blocks->spooled);
  blocks->spooled = 0;
}

static void put_segment(struct lane_writer *writer, unsigned at, uint64_t duration, uint32_t code,
                        const struct mixture *mixture)
{
  struct level_writer *level = &writer->levels[at];
  if (level->unwanted || !level_budget_wants(writer->budget, at)) {
    level->unwanted = true;
    return;
  }
  if (!block_writer_put(&level->blocks, duration, code, mixture, writer->deflater, writer->spool))
    writer->failed = true;
  count_bytes(writer, at, &level->blocks);
}

/* Writes what a level elided, and hands it on to the next coarser one. */
static void write_elided(struct lane_writer *writer, unsigned at)
{
  struct level_writer *level = &writer->levels[at];
  if (level->elided == 0)
    return;
  put_segment(writer, at, level->elided, CODE_ELIDED, &level->mixture);
  if (at + 1 < writer->count)
    join(writer, at + 1, level->elided, &level->mixture);
  level->elided = 0;
  level->mixture.count = 0;
}

/* Ticks up to the end of the cell that the level is in. */
static uint64_t left_of_cell(const struct level_writer *level)
{
  uint64_t cell = LANE_CELL * level->threshold;
  return cell - level->now % cell;
}

/* Adds time that the next finer level elided: it lies in one cell of this level, too. */
static void join(struct lane_writer *writer, unsigned at, uint64_t duration, const struct mixture *mixture)
{
  struct level_writer *level = &writer->levels[at];
  uint64_t left = left_of_cell(level);
  level->differs |= level->elided > 0;
  level->elided += duration;
  level->now += duration;
  mixture_merge(&level->mixture, mixture);
  if (duration == left)
    write_elided(writer, at);
}

/* A segment that is too short for the level. */
static void elide(struct lane_writer *writer, unsigned at, uint64_t duration, uint32_t code)
{
  struct level_writer *level = &writer->levels[at];
  struct mixture_part mixed = writer->codes ? codes_mixed(writer->codes, code) : (struct mixture_part){code, code, 0};
  level->differs = true;
  while (duration > 0) {
    uint64_t left = left_of_cell(level);
    mixed.ticks = duration < left ? duration : left;
    level->elided += mixed.ticks;
    level->now += mixed.ticks;
    mixture_add(&level->mixture, &mixed);
    if (mixed.ticks == left)
      write_elided(writer, at);
    duration -= mixed.ticks;
  }
}

/* From level to level, until one elides it. */
static void feed(struct lane_writer *writer, uint64_t duration, uint32_t code)
{
  for (unsigned at = 0; at < writer->count; at++) {
    struct level_writer *level = &writer->levels[at];
    if (duration < level->threshold) {
      elide(writer, at, duration, code);
      return;
    }
    write_elided(writer, at);
    level->now += duration;
    put_segment(writer, at, duration, code, NULL);
  }
}

void lane_writer_put(struct lane_writer *writer, uint64_t duration, uint32_t code)
{
  if (duration > 0 && !writer->failed)
    feed(writer, duration, code);
}

/* A level that was not needed may have blocks in the spool already: then it keeps them. */
static bool end_level(struct lane_writer *writer, unsigned at, struct lane_level *level)
{
  struct level_writer *written = &writer->levels[at];
  written->unwanted |= !level_budget_wants(writer->budget, at);
  level->same = at > 0 && !writer->levels[at - 1].unwanted && !written->differs && written->blocks.done.count == 0;
  if (level->same || written->unwanted) {
    block_writer_drop(&written->blocks);
    return true;
  }
  bool good = block_writer_end(&written->blocks, writer->deflater, writer->spool, &level->blocks);
  count_bytes(writer, at, &written->blocks);
  return good;
}

bool lane_writer_end(struct lane_writer *writer, struct lane *lane)
{
  *lane = (struct lane){.level = calloc(writer->count, sizeof *lane->level)};
  bool good = lane->level != NULL;
  if (good)
    lane->levels = writer->count;
  for (unsigned i = 0; good && i < writer->count; i++)
    write_elided(writer, i);
  for (unsigned i = 0; good && i < writer->count; i++)
    good = end_level(writer, i, &lane->level[i]);
  good = good && !writer->failed;
  if (!good)
    lane_free(lane);
  return good;
}
