#include "analyzer/analyses/account/crews.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

bool thread_is_of_pool(const struct trace *trace, uint32_t location)
{
  static const char pools[] = "java.util.concurrent.";
  const char *name = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_JAVA_CLASS);
  return name && strncmp(name, pools, sizeof pools - 1) == 0;
}

bool crews_init(struct crews *crews, const struct trace *trace)
{
  size_t locations = (size_t)trace->location_count + 1;
  *crews = (struct crews){.of = malloc(locations * sizeof *crews->of),
                          .routines = calloc(locations, sizeof *crews->routines),
                          .of_pool = calloc(locations, sizeof *crews->of_pool)};
  struct hash classes = {0}; /* by the hash of a name */
  bool good = crews->of && crews->routines && crews->of_pool;
  for (uint32_t i = 0; good && i < trace->location_count; i++) {
    const char *name = trace_property(trace, TRACE_OF_LOCATION, i, LOCATION_JAVA_CLASS);
    crews->of[i] = TRACE_NONE;
    if (!name)
      continue;
    uint64_t key = hash_text(1, name);
    const uint64_t *known = hash_find(&classes, key);
    crews->routines[i] = known ? (uint32_t)*known : (uint32_t)classes.count + 1;
    crews->of_pool[i] = thread_is_of_pool(trace, i);
    good = hash_put(&classes, key, crews->routines[i]);
  }
  hash_free(&classes);
  return good;
}

void crews_free(struct crews *crews)
{
  free(crews->of);
  free(crews->routines);
  free(crews->of_pool);
  hash_free(&crews->index);
  *crews = (struct crews){0};
}

bool crews_add(struct crews *crews, uint32_t location, uint32_t creator)
{
  uint64_t key = (uint64_t)creator << 32 | crews->routines[location];
  const uint64_t *known = hash_find(&crews->index, key);
  crews->of[location] = known ? (uint32_t)*known : crews->count;
  if (known)
    return true;
  return hash_add(&crews->index, key, crews->count++) != NULL;
}

bool crews_are_peers(const struct crews *crews, uint32_t location, uint32_t other)
{
  return crews->routines[location] != 0 && crews->of[location] != TRACE_NONE && crews->of[location] == crews->of[other];
}

void group_begin(struct created_group *group)
{
  if (group->alive == 0)
    group->ended = 0;
  group->alive++;
}

void group_end(struct created_group *group)
{
  group->alive -= group->alive > 0;
  group->ended++;
}

bool group_is_team(const struct created_group *group)
{
  return group->alive + group->ended > 1;
}
