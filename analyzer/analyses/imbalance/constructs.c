#include "analyzer/analyses/imbalance/constructs.h"

#include <stdlib.h>

unsigned course_part(uint64_t tick, uint64_t from, uint64_t to)
{
  uint64_t length = to > from ? to - from : 0, width = length / COURSE_PARTS + (length % COURSE_PARTS != 0);
  uint64_t part = width && tick > from ? (tick - from) / width : 0;
  return part < COURSE_PARTS ? (unsigned)part : COURSE_PARTS - 1;
}

static bool is_worse(const struct course_call *call, const struct course_call *than)
{
  if (call->imbalance != than->imbalance)
    return call->imbalance > than->imbalance;
  if (call->elapsed != than->elapsed)
    return call->elapsed > than->elapsed;
  return call->begin < than->begin;
}

static struct imbalance_course *made(struct imbalance_course **course)
{
  if (!*course)
    *course = calloc(1, sizeof **course);
  return *course;
}

bool course_add(struct imbalance_course **at, const struct course_call *call, unsigned part)
{
  struct imbalance_course *course = made(at);
  if (!course || !lengths_add(&course->elapsed, call->elapsed) || !lengths_add(&course->imbalance, call->imbalance))
    return false;
  if (course->imbalance.count == 1 || is_worse(call, &course->worst))
    course->worst = *call;
  course->parts[part].calls++;
  course->parts[part].busy_max += call->busy_max;
  fine_total_add(&course->parts[part].scaled, call->scaled);
  return true;
}

bool course_merge(struct imbalance_course **at, const struct imbalance_course *from)
{
  if (!from)
    return true;
  struct imbalance_course *into = made(at);
  if (!into)
    return false;
  if (into->imbalance.count == 0 || is_worse(&from->worst, &into->worst))
    into->worst = from->worst;
  for (unsigned i = 0; i < COURSE_PARTS; i++) {
    into->parts[i].calls += from->parts[i].calls;
    into->parts[i].busy_max += from->parts[i].busy_max;
    fine_total_merge(&into->parts[i].scaled, from->parts[i].scaled);
  }
  return lengths_merge(&into->elapsed, &from->elapsed) && lengths_merge(&into->imbalance, &from->imbalance);
}

void course_free(struct imbalance_course *course)
{
  if (!course)
    return;
  lengths_free(&course->elapsed);
  lengths_free(&course->imbalance);
  free(course);
}

uint32_t imbalance_forker(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t forker = TRACE_NONE;
  wide_total most = 0;
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++) {
    if (construct->by_thread[i].lost_as_forker.parts > most) {
      most = construct->by_thread[i].lost_as_forker.parts;
      forker = i;
    }
  }
  return forker;
}

double imbalance_side_by_side(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t forker = imbalance_forker(construct, location_count);
  struct fine_total all = {0};
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++)
    fine_total_merge(&all, construct->by_thread[i].lost_as_forker);
  return forker == TRACE_NONE ? 1
                              : fine_total_ticks(construct->by_thread[forker].lost_as_forker) / fine_total_ticks(all);
}

uint32_t imbalance_slowest(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t slowest = TRACE_NONE;
  uint64_t most = 0;
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++) {
    if (construct->by_thread[i].waited_for > most) {
      most = construct->by_thread[i].waited_for;
      slowest = i;
    }
  }
  return slowest;
}
