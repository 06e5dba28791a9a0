/*
 * Modules of a process: which module has an address, and when. Libraries are unloaded, and others take their place. So
 * an address may have different meanings at different times. When its record is read, it is replaced by a number with
 * one meaning (module_map_code). The number is used like an address from there on.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_MODULE_MAP_H
#define HEDDLE_OTF2_CONVERT_PLAN_MODULE_MAP_H

#include "base/hash.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* Addresses of a module, from start up to end. Empty if end is not behind start. */
struct module_range {
  uint64_t start, end;
  bool stays; /* it was always loaded; its lives do not matter */
  bool timed; /* unknown modules may have had the addresses, too */
};

/* A period, in ticks, in which a module was loaded. It may be loaded again at the same place. */
struct module_life {
  uint32_t module;
  uint64_t since, seen, last, gone; /* not loaded yet; loaded; still loaded; unloaded. UINT64_MAX: for ever */
};

/* A period in which libraries may have been loaded and unloaded unnoticed. */
struct module_doubt {
  uint64_t from, to; /* ticks */
};

struct module_piece {
  uint64_t start;
  uint32_t first; /* index in `layers`, up to the next piece's */
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
  module_slots slots;                 /* in order, none in another */
  bool timed;                         /* some addresses have several meanings; the rest is about these */
  uint64_t first_number, unknown;     /* their numbers; the last one is for unknown modules */
  VECTOR(uint64_t) shifts;            /* number = address + shift, by module; 0: one meaning */
  VECTOR(struct module_piece) pieces; /* in order; the last one ends the one before it */
  VECTOR(struct module_layer) layers;
  VECTOR(struct module_doubt) doubts; /* in order */
  VECTOR(bool) stay;                  /* by module */
};

#define MODULE_MAP_NONE    UINT32_MAX
#define MODULE_MAP_UNKNOWN (UINT32_MAX - 1) /* an unknown library that was unloaded */

/* Doubts are in order. False: out of memory. */
bool module_map_make(struct module_map *map, const struct module_range *modules, uint32_t count,
                     const struct module_life *lives, size_t life_count, const struct module_doubt *doubts,
                     size_t doubt_count);
void module_map_free(struct module_map *map);

/* Returns the number of a code address at a time: the address itself unless the map is `timed`. Any thread. */
uint64_t module_map_code(const struct module_map *map, uint64_t ticks, uint64_t address);

/* Returns the module of a number, or MODULE_MAP_...; *address becomes the code address. Any thread. */
uint32_t module_map_find(const struct module_map *map, uint64_t code, uint64_t *address);

/*
 * List of a process' modules, from the lines `modules:`, `module:` and `gone:` of its process file
 * (common/raw/raw_trace.h), in the order of the file.
 */
#define MODULE_LIST_MAX 262144u /* loads of modules; further ones are only counted */

struct module {
  uint64_t base;  /* where its address 0 would be */
  char *build_id; /* lower case hex, or "-" */
  char *path;
};

/* Knowledge of loads and unloads before a listing. MODULES_REPORTED: all that matter are listed. */
enum module_listing_kind { MODULES_REPORTED, MODULES_COUNTED, MODULES_UNKNOWN };

struct module_listing {
  uint64_t from, begun, ended; /* ticks */
  enum module_listing_kind kind;
  bool seen;       /* MODULES_REPORTED: listed before a record had the code */
  uint64_t missed; /* MODULES_COUNTED */
};

struct module_list {
  VECTOR(struct module) modules;
  VECTOR(struct module_range) ranges; /* where they are; by module, like the next two */
  VECTOR(uint32_t) alive;             /* the life that has not ended; MODULE_MAP_NONE: none */
  struct string_table lines;          /* identities of modules */
  VECTOR(struct module_life) lives;
  VECTOR(struct module_listing) listings;
  struct hash at;        /* a begin in memory -> the last module there */
  bool some_went;        /* the process unloads libraries */
  uint64_t ignored;      /* beyond MODULE_LIST_MAX */
  struct module_map map; /* from module_list_finish() on */
};

/* Take the value of a line, which is changed. Lines before the first listing are ignored. False: out of memory. */
bool module_list_listing(struct module_list *list, char *value);
bool module_list_module(struct module_list *list, char *value);
void module_list_gone(struct module_list *list, char *value);
/* Makes the map, after the last line. ended: the last listing was made at the process' end. False: out of memory. */
bool module_list_finish(struct module_list *list, bool ended);
void module_list_free(struct module_list *list);

/* Exchange of the code addresses in a record for numbers with one meaning. */
#define CODE_EXCHANGE_WORDS 50u /* of the longest record with a code address */

/* Returns the record, or a copy of it in `copy`, with numbers of one meaning. */
const uint64_t *code_exchange_always(const struct module_map *map, const uint64_t *record,
                                     uint64_t copy[CODE_EXCHANGE_WORDS]);

/* The same; fast if there is nothing to exchange. */
static inline const uint64_t *code_exchange(const struct module_map *map, const uint64_t *record,
                                            uint64_t copy[CODE_EXCHANGE_WORDS])
{
  return __builtin_expect(map->timed, 0) ? code_exchange_always(map, record, copy) : record;
}

#endif
