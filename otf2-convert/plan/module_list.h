/*
 * The modules of a process, from the lines `modules:`, `module:` and `gone:` of its process file
 * (common/raw/raw_trace.h). Lines are taken in the order of the file; module_map.h looks modules up.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_MODULE_LIST_H
#define HEDDLE_OTF2_CONVERT_PLAN_MODULE_LIST_H

#include "base/hash.h"
#include "base/vector.h"
#include "otf2-convert/plan/module_map.h"

#include <stdbool.h>
#include <stdint.h>

#define MODULE_LIST_MAX 262144u /* loads of modules; further ones are counted */

struct module {
  uint64_t base;  /* of its own addresses */
  char *build_id; /* lower case hex, or "-" */
  char *path;
};

/* How much a listing shows of loads and unloads before it. MODULES_REPORTED: all that matter. */
enum module_listing_kind { MODULES_REPORTED, MODULES_COUNTED, MODULES_UNKNOWN };

struct module_listing {
  uint64_t from, begun, ended; /* ticks */
  enum module_listing_kind kind;
  bool seen;       /* MODULES_REPORTED: before a record had the code */
  uint64_t missed; /* MODULES_COUNTED */
};

struct module_list {
  VECTOR(struct module) modules;
  VECTOR(struct module_range) ranges; /* where they are; by module, like the next two */
  VECTOR(uint32_t) alive;             /* the life that has not ended; MODULE_MAP_NONE: none */
  struct string_table lines;          /* what makes two modules different */
  VECTOR(struct module_life) lives;
  VECTOR(struct module_listing) listings;
  struct hash at;        /* a begin in memory -> the last module there */
  bool some_went;        /* the process unloads libraries */
  uint64_t left_out;     /* beyond MODULE_LIST_MAX */
  struct module_map map; /* once module_list_finish was called */
};

/* Take the value of a line, and change it. What stands before the first listing is left out. False when memory is
 * short. */
bool module_list_listing(struct module_list *list, char *value);
bool module_list_module(struct module_list *list, char *value);
void module_list_gone(struct module_list *list, char *value);
/* All lines were taken. ended: the last listing was made at the process' end. False when memory is short. */
bool module_list_finish(struct module_list *list, bool ended);
void module_list_free(struct module_list *list);

#endif
