#include "common/profile/profile_metrics.h"

#include "common/profile/profile_team.h"
#include "common/recorder/static_chunks.h"

#include <string.h>

enum { LOOP = 1, LOOP_STATIC = 10 }; /* ompt_work_t */

void profile_make_tasks(struct profile_table *table, uint64_t code, uint64_t tasks, uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_TASKS, 0, code != 0 ? code : profile_top(table)->code, 0,
                                   table->stack.depth - 1, now);
  if (words)
    profile_count(&words[RAW_METRIC_COUNT], tasks);
}

void profile_begin_work(struct profile_table *table, unsigned type, uint64_t code, uint64_t count, uint64_t now)
{
  struct construct *frame = profile_open(table, RAW_ROW_WORK, type, code, now);
  if (frame)
    frame->loop = (struct profile_loop){.count = count};
}

/* Of the loop that is open at `at`. NULL: there is no room. */
static uint64_t *chunks_of(struct profile_table *table, uint32_t at, uint64_t now)
{
  struct construct *frame = &table->stack.open[at];
  if (!frame->loop.metric || frame->loop.begun != table->begun) {
    frame->loop.metric = profile_metric(table, RAW_METRIC_CHUNKS, frame->number, frame->code, 0, at - 1, now);
    frame->loop.begun = table->begun;
  }
  return frame->loop.metric;
}

static void add_chunks(struct profile_table *table, uint32_t at, uint64_t chunks, uint64_t iterations, uint64_t now)
{
  uint64_t *words = chunks_of(table, at, now);
  if (!words)
    return;
  profile_count(&words[RAW_METRIC_COUNT], chunks);
  profile_count(&words[RAW_METRIC_SUM], iterations);
}

void profile_take_chunks(struct profile_table *table, uint64_t first, uint64_t iterations, uint64_t chunks, bool told,
                         uint64_t now)
{
  uint32_t at = table->stack.over == 0 ? profile_find(table, RAW_ROW_WORK) : 0;
  if (at == 0)
    return;
  struct profile_loop *loop = &table->stack.open[at].loop;
  if (loop->chunks == 0) {
    loop->first = first;
    loop->iterations = told ? iterations : 0;
  }
  loop->chunks += chunks < 2 ? 1 : 2;
  add_chunks(table, at, chunks, iterations, now);
}

void profile_count_chunks(struct profile_table *table, unsigned type, uint64_t code, uint64_t chunks, uint64_t now)
{
  uint64_t *words = chunks == 0
                        ? NULL
                        : profile_metric(table, RAW_METRIC_CHUNKS, type, code != 0 ? code : profile_top(table)->code, 0,
                                         table->stack.depth - 1, now);
  if (!words)
    return;
  profile_count(&words[RAW_METRIC_COUNT], chunks);
  profile_count(&words[RAW_METRIC_LAST], chunks);
}

/* libomp reports of a static loop the first chunk of each thread, and of a team of one none. */
static void derive_chunks(struct profile_table *table, uint32_t at, uint64_t now)
{
  const struct construct *frame = &table->stack.open[at];
  struct static_chunks rest;
  struct static_loop of = {.count = frame->loop.count,
                           .first = frame->loop.first,
                           .iterations = frame->loop.iterations,
                           .team = frame->member.team,
                           .number = frame->member.number - 1};
  if (frame->loop.chunks == 0 && frame->number == LOOP_STATIC && of.count != 0 && of.team <= 1)
    add_chunks(table, at, 1, of.count, now);
  else if (frame->loop.chunks == 1 && frame->member.number > 0 && static_chunks_of(&of, &rest))
    add_chunks(table, at, rest.chunks, static_chunks_iterations(&of, &rest), now);
}

void profile_end_work(struct profile_table *table, bool libomp, uint64_t now)
{
  uint32_t at = libomp && table->stack.over == 0 ? profile_find(table, RAW_ROW_WORK) : 0;
  if (at > 0 && (table->stack.open[at].number == LOOP_STATIC || table->stack.open[at].number == LOOP))
    derive_chunks(table, at, now);
  profile_end(table, RAW_ROW_WORK, now);
}

static void add_value(uint64_t *words, unsigned type, uint64_t value)
{
  uint64_t sum = words[RAW_METRIC_SUM] + value;
  if (type == RAW_USER_REAL) {
    double real, more;
    memcpy(&real, &words[RAW_METRIC_SUM], sizeof real);
    memcpy(&more, &value, sizeof more);
    real += more;
    memcpy(&sum, &real, sizeof sum);
  }
  __atomic_store_n(&words[RAW_METRIC_SUM], sum, __ATOMIC_RELAXED);
  __atomic_store_n(&words[RAW_METRIC_LAST], value, __ATOMIC_RELAXED);
  profile_count(&words[RAW_METRIC_COUNT], 1);
}

void profile_take_event(struct profile_table *table, uint64_t name, uint64_t weight, uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_EVENT, 0, name, 0, table->stack.depth - 1, now);
  if (words)
    profile_count(&words[RAW_METRIC_COUNT], weight);
}

void profile_take_value(struct profile_table *table, uint64_t name, const uint64_t element[RAW_EXTRA], uint64_t now)
{
  unsigned type = raw_detail_of(element[0]);
  uint64_t *words =
      profile_metric(table, RAW_METRIC_VALUE, type, name, raw_value_of(element[0]), table->stack.depth - 1, now);
  if (words)
    add_value(words, type, element[1]);
}

void profile_take_block(struct profile_table *table, unsigned kind, uint64_t code, uint64_t object, uint64_t ticks,
                        uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_BLOCK, kind, code, object, table->stack.depth - 1, now);
  if (words)
    profile_count_wait(words, 1, ticks);
}

void profile_take_pause(struct profile_table *table, uint64_t ticks, uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_GC, 0, 0, 0, 0, now);
  if (!words)
    return;
  profile_count_wait(words, 1, ticks);
  __atomic_store_n(&words[RAW_METRIC_LAST], ticks, __ATOMIC_RELAXED);
}
