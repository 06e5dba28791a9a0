/*
 * Which module has an address. Modules may be listed again and again, and take each other's place when libraries are
 * unloaded: the one that was listed last counts.
 */
#ifndef HEDDLE_OTF2_CONVERT_MODULE_MAP_H
#define HEDDLE_OTF2_CONVERT_MODULE_MAP_H

#include "otf2-convert/vector.h"

#include <stdint.h>

/* Where a module is in memory: from start up to end. Empty if end is not behind start. */
struct module_range {
  uint64_t start, end;
  uint32_t module;
};

struct module_map {
  VECTOR(struct module_range) ranges; /* in order, none in another */
};
#define MODULE_MAP_NONE UINT32_MAX

/* The ranges of modules in the order in which they were listed. False when memory is short. */
bool module_map_make(struct module_map *map, const struct module_range *listed, uint32_t count);
void module_map_free(struct module_map *map);

/* The module, or MODULE_MAP_NONE. Any thread. */
uint32_t module_map_find(const struct module_map *map, uint64_t address);

#endif
