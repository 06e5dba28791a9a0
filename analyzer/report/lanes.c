#include "analyzer/report/lanes.h"

#include <stdlib.h>

enum { FIRST_THRESHOLD = 1024, STEP = 4, FEWEST_PIXELS = 64 };

struct level_writer {
  uint64_t threshold;
  uint64_t now;           /* where what came last ends */
  uint64_t elided;        /* ticks up to there that are not written yet */
  struct mixture mixture; /* of those */
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

/* What the next finer level elided: it is in one cell of this one, too. */
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
