#include "analyzer/analyses/loops/schedule_loop.h"

#include <inttypes.h>
#include <stdio.h>

void plan_block(const struct plan_space *space, uint32_t thread, uint64_t *begin, uint64_t *end)
{
  uint64_t n = space->iterations, small = n / space->threads, extra = n % space->threads;
  if (space->runtime == PLAN_JOMP) {
    uint64_t size = small + (extra != 0);
    *begin = thread * size < n ? thread * size : n;
    *end = n - *begin < size ? n : *begin + size;
    return;
  }
  *begin = thread * small + (thread < extra ? thread : extra);
  *end = *begin + small + (thread < extra);
}

static uint64_t guided_size(const struct plan *plan, const struct plan_space *space, uint64_t left)
{
  uint64_t shares = 2 * (uint64_t)space->threads, chunk = plan->chunk, size;
  switch (space->runtime) {
  case PLAN_LIBOMP: /* left < shares * (chunk + 1), without overflow */
    return left / shares < chunk + 1 ? chunk : left / shares;
  case PLAN_LIBGOMP:
    size = left / space->threads + (left % space->threads != 0);
    break;
  default:
    size = left / shares;
  }
  return size > chunk ? size : chunk;
}

uint64_t plan_next(const struct plan *plan, const struct plan_space *space, uint64_t done)
{
  uint64_t left = space->iterations - done;
  uint64_t size = plan->kind == PLAN_GUIDED ? guided_size(plan, space, left) : plan->chunk;
  return size < left ? size : left;
}

const char *plan_kind_name(enum plan_kind kind)
{
  static const char *const names[] = {"unknown", "static", "dynamic", "guided"};
  return names[kind];
}

const char *plan_text(const struct plan *plan, char text[PLAN_TEXT])
{
  if (plan->chunk)
    snprintf(text, PLAN_TEXT, "schedule(%s,%" PRIu64 ")", plan_kind_name(plan->kind), plan->chunk);
  else
    snprintf(text, PLAN_TEXT, "schedule(%s)", plan_kind_name(plan->kind));
  return text;
}
