#include "analyzer/analyses/imbalance/team_levels.h"

struct team_level *team_levels_push(struct team_levels *levels, size_t team)
{
  if (levels->depth == levels->list.count && !vector_resize(&levels->list, levels->list.count + 1))
    return NULL;
  struct team_level *level = &levels->list.items[levels->depth++];
  level->team = team;
  level->stamp = ++levels->stamp;
  return level;
}

void team_levels_pop(struct team_levels *levels)
{
  levels->depth--;
}

void team_levels_free(struct team_levels *levels)
{
  for (size_t i = 0; i < levels->list.count; i++)
    free(levels->list.items[i].occurrences);
  vector_free(&levels->list);
}

bool team_level_count(struct team_level *level, uint32_t region, uint32_t region_count, uint32_t *before)
{
  if (!level->occurrences && !(level->occurrences = calloc(region_count, sizeof *level->occurrences)))
    return false;
  struct team_occurrence *occurrence = &level->occurrences[region];
  if (occurrence->stamp != level->stamp)
    *occurrence = (struct team_occurrence){level->stamp, 0};
  *before = occurrence->count++;
  return true;
}
