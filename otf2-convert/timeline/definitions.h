/*
 * References in events: regions, attributes, and strings that are values of attributes. Numbers are assigned while
 * events are written; their definitions are written at the end (describe.h).
 *
 * A region is a construct at a place in the source, so a compiler's copies of a construct are one region, also across
 * processes. If the source is unknown, the place is module and offset.
 *
 * Threads: any may call definitions_region, with a cache of its own. The tables are read after the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_DEFINITIONS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_DEFINITIONS_H

#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"
#include "otf2-convert/plan/plan.h"
#include "otf2-convert/symbols/module_search.h"
#include "otf2-convert/symbols/symbols.h"
#include "otf2-convert/timeline/constructs.h"

#include <pthread.h>
#include <stdatomic.h>

#define REGIONS_MAX (1u << 20) /* constructs at further places get the region without a place */
#define REGION_NONE UINT32_MAX

/* A file with code, in one or several processes. */
struct code_module {
  const char *path;        /* of their names */
  struct symbols *symbols; /* NULL: none */
};
#define MODULE_NONE UINT32_MAX

/* Modules by name; they may outlive the definitions. */
struct code_modules {
  VECTOR(struct code_module) items;
  struct string_table names; /* build id and path, by number */
};

struct region {
  enum construct construct;
  uint32_t module; /* MODULE_NONE: the place is unknown */
  uint64_t offset; /* return address, in the module's own addresses; the first copy's. For C_ON_PROCESSOR: 1 + the
                      thread's location */
  struct source_place place;
  bool java;     /* the place is a Java method; module and offset are unused */
  bool unloaded; /* its library was unloaded, and is unknown */
  bool user;     /* it has no place; `function` is the program's name for it */
};

/* Refs of attributes. Attributes of dependences and of the user's events follow, in the order of first use. */
enum attribute {
#define X(constant, ...) ATTRIBUTE_##constant,
  ATTRIBUTES(X)
#undef X
      ATTRIBUTE_COUNT
};
#define ATTRIBUTE_NONE UINT32_MAX

/* Refs of the strings that are values of attributes. With the names of Java classes they are known before the first
 * event. */
enum fixed_string {
  STRING_EMPTY,
#define X(constant, text) STRING_##constant,
  CLOSED_VALUES(X) CANCEL_VALUES(X) ROW_VALUES(X) METRIC_VALUES(X)
#undef X
      STRING_FIXED_COUNT
};

#define DEPEND_KINDS   7u
#define DEPEND_NUMBERS 256u
extern const char *const depend_names[DEPEND_KINDS];

struct depend {
  uint16_t kind, number;
  uint32_t ref;
};

#define USER_TYPES 2u /* types of attributes, enum raw_user_type */

/* An attribute of the user's events; processes share attributes with the same name and type. */
struct user_attribute {
  const char *name; /* the plan's */
  OTF2_Type type;
  uint32_t ref;
};

/* A Java class. */
struct class_use {
  uint32_t name;          /* ref of the string; STRING_EMPTY unknown */
  enum construct waiting; /* construct of a thread that is parked with such a blocker */
};

#define DEFINITIONS_TEXT_MAX 32768u /* bytes of a string; the rest is cut off */
#define CALLERS_TEXT_MAX     2048u  /* likewise, of callers */
#define CALLERS_MAX          32768u /* places of a process with callers */

struct definitions {
  pthread_mutex_t lock;
  const struct plan *plan;
  struct string_table calls;   /* blocked system calls, for people (switches.h) */
  struct string_table strings; /* that events refer to; their numbers are the refs */
  struct class_use **classes;  /* by process, then by id - 1 */
  struct hash java_fields;     /* process and object, mixed -> ref of the class with the field that it is in */
  uint32_t **callers;          /* refs of strings, by process, then by id of the place - 1; of a process NULL: none */
  struct hash by_place;        /* construct and place -> region */
  VECTOR(struct region) regions;
  struct code_modules modules;
  int trace_fd;             /* the trace's directory (kernel_page.h); the caller's. -1: none */
  const char *const *roots; /* of module_search() */
  atomic_uint depend_refs[DEPEND_KINDS][DEPEND_NUMBERS]; /* attribute refs; 0: not used yet */
  struct depend depends[DEPEND_KINDS * DEPEND_NUMBERS];  /* as met */
  unsigned depend_count;
  atomic_uint **user_refs; /* attribute refs, by process, then by id of the name - 1 and type; 0: not used yet */
  VECTOR(struct user_attribute) user_attributes;
  struct string_table user_attribute_names; /* type and name, by number of the attribute */
  atomic_uint first_duration;               /* attribute refs, RAW_ROW_BUCKETS in turn; 0: not used yet */
  uint32_t next_attribute;                  /* ref */
  atomic_bool out_of_memory;
};

/* A worker's cache of regions: each hash has one entry, for the last region with it. */
#define REGION_CACHE_BITS 10
struct known_region {
  uint64_t key;
  uint32_t process;
  uint32_t region; /* REGION_NONE: the code is the runtime's own */
};
struct region_cache {
  struct known_region entries[1u << REGION_CACHE_BITS];
};

static inline uint64_t region_cache_key(enum construct construct, uint64_t code)
{
  return code | (uint64_t)(construct + 1) << 48;
}

static inline struct known_region *region_cache_entry(struct region_cache *cache, uint64_t key)
{
  return &cache->entries[hash_upper(key) >> (64 - REGION_CACHE_BITS)];
}

/* Prepares the definitions; sets out_of_memory if memory is short. */
void definitions_begin(struct definitions *definitions, const struct plan *plan);
void definitions_free(struct definitions *definitions);
/* Move modules from former definitions of the same process to new ones: their numbers and symbols stay. */
void definitions_take_modules(struct definitions *definitions, struct code_modules *modules);
void definitions_give_modules(struct definitions *definitions, struct code_modules *modules);
void code_modules_free(struct code_modules *modules);
void region_cache_clear(struct region_cache *cache);

uint32_t definitions_region_slow(struct definitions *definitions, struct region_cache *cache, uint32_t process,
                                 enum construct construct, uint64_t code);

/* Returns the place of code in a process; without file and function: unknown. Valid as long as the definitions. */
struct source_place definitions_place(struct definitions *definitions, uint32_t process, uint64_t code);

/* Returns the region of a construct that was outlined into a function at an address of a module (a number of
 * `modules`). The construct may also be at a line (0: unknown). NULL: there is none. After all events were written. */
const struct region *definitions_outlined(const struct definitions *definitions, uint32_t module, uint64_t begin,
                                          const char *file, uint32_t line);

/* True for an OpenMP runtime, or a library of Heddle. */
bool code_is_runtime(const struct module *module);
/* Returns the number of a module's file in `modules`, and adds a new one. The caller holds the lock. MODULE_NONE: out
 * of memory. */
uint32_t definitions_module(struct definitions *definitions, const struct module *module);

/* Module of code in a process. Valid as long as the definitions. */
struct code_home {
  const char *path;        /* NULL: no known module */
  uint64_t base;           /* of the module's own addresses */
  uint32_t module;         /* number of `modules`; MODULE_NONE: no known module */
  struct symbols *symbols; /* NULL: the file cannot be read. One thread at a time; no other definitions may be looked up
                              meanwhile */
  bool runtime;            /* an OpenMP runtime, or a library of Heddle */
  bool tool;               /* a library of Heddle */
};
/* Returns a module of a process. index: as of module_map_find(). */
struct code_home definitions_home(struct definitions *definitions, uint32_t process, uint32_t index);

/* Function of code in a process, also of an OpenMP runtime. Valid as long as the definitions. */
struct code_place {
  struct code_home home;
  struct code_function function; /* the compiled one, with its line */
  const char *file;              /* of the innermost inlined function; "": unknown */
  uint32_t line;                 /* likewise; 0: unknown */
  uint64_t offset;               /* in the module's own addresses; without a module the address */
  bool java;                     /* a Java method, in no module */
};
struct code_place definitions_code(struct definitions *definitions, uint32_t process, uint64_t code);

/* Returns the global variable at an address of a process, outside of OpenMP runtimes; *into: bytes from its begin.
 * NULL: unknown. Valid as long as the definitions. */
const char *definitions_object(struct definitions *definitions, uint32_t process, uint64_t address, uint64_t *into);

/* Writes the name of the variable at an address, with the member or element there: `queue.lock`, `forks[2]`. False:
 * unknown. */
bool definitions_variable(struct definitions *definitions, uint32_t process, uint64_t address, char *name, size_t size);

/* Returns the ref of the attribute `depend <kind> <number>`, number from 1; kind: ompt_dependence_type_t. */
uint32_t definitions_depend(struct definitions *definitions, unsigned kind, unsigned number);

/* Returns the ref of the attribute that counts executions with durations of a bucket (raw_row_bucket). */
uint32_t definitions_duration(struct definitions *definitions, unsigned bucket);

/* Returns the code of a region of the user's, from the id of its name. */
static inline uint64_t definitions_user_code(uint64_t name)
{
  return (name & (RAW_VALUE_MASK >> 1)) + 1;
}

/* Returns the ref of an attribute of the user's, from the id of its name in the process, which is checked;
 * ATTRIBUTE_NONE: no name. */
uint32_t definitions_user_attribute(struct definitions *definitions, uint32_t process, uint64_t name,
                                    enum raw_user_type type);

/* Returns a class of a process by its id, which is checked. */
struct class_use definitions_class(const struct definitions *definitions, uint32_t process, uint64_t id);

/* Returns the ref of a string with an object's class, and its field if that is known: java.lang.Object "Server.lock".
 * STRING_EMPTY: unknown. */
uint32_t definitions_java_object(const struct definitions *definitions, uint32_t process, uint64_t object);

/* Returns the ref of a text; STRING_EMPTY: out of memory. While events are written. */
uint32_t definitions_string(struct definitions *definitions, const char *text);
/* Copies the text with a ref. */
void definitions_text(struct definitions *definitions, uint32_t ref, char *text, size_t size);

/* True if a thread that waits at a place of a process has no work. */
bool definitions_idles(const struct definitions *definitions, uint32_t process, uint64_t code);

/* Returns the ref of a string with the callers of a place of a process; STRING_EMPTY: unknown. */
uint32_t definitions_callers(const struct definitions *definitions, uint32_t process, uint64_t code);

/*
 * Returns the region of a construct with the return address *code. If the address is unknown, or in an OpenMP runtime
 * (a tail call), *code becomes the enclosing construct's.
 */
static inline uint32_t definitions_region(struct definitions *definitions, struct region_cache *cache, uint32_t process,
                                          enum construct construct, uint64_t *code, uint64_t enclosing)
{
  if (*code == 0)
    *code = enclosing;
  for (int i = 0;; i++) {
    uint64_t key = region_cache_key(construct, *code);
    const struct known_region *known = region_cache_entry(cache, key);
    uint32_t region = known->key == key && known->process == process
                          ? known->region
                          : definitions_region_slow(definitions, cache, process, construct, *code);
    if (region != REGION_NONE)
      return region;
    *code = i == 0 ? enclosing : 0;
  }
}

#endif
