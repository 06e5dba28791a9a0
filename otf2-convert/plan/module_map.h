/*
 * Which module has an address, and when. Libraries are unloaded, and others take their place. An address with different
 * meanings at different times is replaced, as soon as its record is read, by a number with one meaning
 * (module_map_code); from there on the number is used like an address.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_MODULE_MAP_H
#define HEDDLE_OTF2_CONVERT_PLAN_MODULE_MAP_H

#include "base/vector.h"

#include <stdint.h>

/* A module's place in memory: from start up to end. Empty if end is not behind start. */
struct module_range {
  uint64_t start, end;
  bool stays; /* it was loaded all the time, whatever the lives say */
  bool timed; /* unknown modules may have been there, too */
};

/* One of the times, in ticks, at which a module was loaded. It may be loaded again at the same place. */
struct module_life {
  uint32_t module;
  uint64_t since, seen, last, gone; /* not loaded yet; loaded; still loaded; unloaded. For ever: UINT64_MAX */
};

/* When libraries may have been loaded and unloaded unnoticed. */
struct module_doubt {
  uint64_t from, to; /* ticks */
};

struct module_piece {
  uint64_t start;
  uint32_t first; /* of `layers`, up to the next piece's */
};

struct module_layer {
  struct module_life life;
  uint64_t latest_gone; /* of this one and those before it in the piece */
};

struct module_slot {
  uint64_t start, end; /* addresses, or numbers for them */
  uint64_t shift;      /* address = number - shift */
  uint32_t module;
};

typedef VECTOR(struct module_slot) module_slots;

struct module_map {
  module_slots slots; /* in order, none in another */
  /* Of addresses that need a time. */
  bool timed;                         /* there are such */
  uint64_t first_number, unknown;     /* numbers for them; the last one for unknown modules */
  VECTOR(uint64_t) shifts;            /* number = address + shift, by module; 0: it needs no time */
  VECTOR(struct module_piece) pieces; /* in order; the last one ends the one before it */
  VECTOR(struct module_layer) layers;
  VECTOR(struct module_doubt) doubts; /* in order */
  VECTOR(bool) stay;                  /* by module */
};

#define MODULE_MAP_NONE    UINT32_MAX
#define MODULE_MAP_UNKNOWN (UINT32_MAX - 1) /* an unknown library that was unloaded */

/* Doubts are in order. False when memory is short. */
bool module_map_make(struct module_map *map, const struct module_range *modules, uint32_t count,
                     const struct module_life *lives, size_t life_count, const struct module_doubt *doubts,
                     size_t doubt_count);
void module_map_free(struct module_map *map);

/* The number for the code at an address at a time: the address itself unless the map is `timed`. Any thread. */
uint64_t module_map_code(const struct module_map *map, uint64_t ticks, uint64_t address);

/* The module of a code, or MODULE_MAP_...; *address becomes where the code was. Any thread. */
uint32_t module_map_find(const struct module_map *map, uint64_t code, uint64_t *address);

#endif
