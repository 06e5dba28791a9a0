/* Private to imbalance/: the teams that a thread is in, one inside the other, and what it met in each. */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_TEAM_LEVELS_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_TEAM_LEVELS_H

#include "analyzer/analyses/imbalance/piece.h"
#include "base/vector.h"

#define TEAM_LEVELS_MOST 64 /* nested teams that are analyzed; deeper ones are passed over */

/* How often a region was met. */
struct team_occurrence {
  uint32_t stamp; /* of the team it was counted in; else the count is 0 */
  uint32_t count;
};

/* A team that the thread is in; what it has allocated is used again by later teams of the same level. */
struct team_level {
  size_t team;                         /* place in the follower's list of what is open */
  uint32_t stamp;                      /* another one for each team the thread was ever in */
  struct team_occurrence *occurrences; /* a region; allocated when first needed */
  /* A construct that has ended is kept back, because its barrier may be next. */
  bool holds;
  size_t held_depth; /* of the construct, and of its barrier */
  struct piece held;
};

/* Zeroed: none. */
struct team_levels {
  VECTOR(struct team_level) list; /* all that there ever were */
  uint32_t depth;                 /* so many of them are open */
  uint32_t stamp;
};

/* The innermost team; NULL: the thread is in none. */
static inline struct team_level *team_levels_innermost(const struct team_levels *levels)
{
  return levels->depth > 0 ? &levels->list.items[levels->depth - 1] : NULL;
}

/* A team begins. NULL: out of memory. */
struct team_level *team_levels_push(struct team_levels *levels, size_t team);
void team_levels_pop(struct team_levels *levels);
void team_levels_free(struct team_levels *levels);

/* Counts a region that the thread meets in a team; *before: how often it met it there before. False: out of memory. */
bool team_level_count(struct team_level *level, uint32_t region, uint32_t region_count, uint32_t *before);

#endif
