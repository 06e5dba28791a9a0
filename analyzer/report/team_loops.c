#include "analyzer/report/team_loops.h"

#include <stdlib.h>

#define NO_REGION UINT32_MAX

void team_loop_end(struct team_loop *loop, struct chunk_map *longest)
{
  if (loop->region != NO_REGION)
    chunk_map_keep(&longest[loop->region], &loop->map);
  loop->region = NO_REGION;
}

struct team_loop *team_loops_get(struct team_loops *loops, uint32_t ordinal, uint32_t region, uint64_t time,
                                 struct chunk_map *longest, bool *other)
{
  *other = false;
  if (!loops->list) {
    loops->list = calloc(TEAM_LOOPS_MAX, sizeof *loops->list);
    if (!loops->list)
      return NULL;
    for (unsigned i = 0; i < TEAM_LOOPS_MAX; i++)
      loops->list[i].region = NO_REGION;
  }
  struct team_loop *loop = &loops->list[ordinal % TEAM_LOOPS_MAX];
  if (loop->region != NO_REGION && loop->ordinal != ordinal)
    team_loop_end(loop, longest);
  if (loop->region == NO_REGION) {
    loop->ordinal = ordinal;
    loop->region = region;
    loop->done = 0;
    loop->map.begin = loop->map.end = time;
  }
  *other = loop->region != region;
  return *other ? NULL : loop;
}

void team_loops_end(struct team_loops *loops, struct chunk_map *longest)
{
  for (unsigned i = 0; loops->list && i < TEAM_LOOPS_MAX; i++)
    team_loop_end(&loops->list[i], longest);
}

void team_loops_free(struct team_loops *loops)
{
  for (unsigned i = 0; loops->list && i < TEAM_LOOPS_MAX; i++)
    chunk_map_free(&loops->list[i].map);
  free(loops->list);
  loops->list = NULL;
}
