/*
 * References in events: regions, attributes, and the strings that are attribute values. Numbers are assigned while
 * events are written; their meanings are written at the end (describe.h).
 *
 * A region is a construct at a place in the source, so that a compiler's copies of one construct are one region, also
 * across processes. If the source is unknown, the place is module and offset.
 * Threads: definitions_region by any, each with a cache of its own; reading the tables when conversion is done.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_DEFINITIONS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_DEFINITIONS_H

#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"
#include "otf2-convert/plan/plan.h"
#include "otf2-convert/symbols/symbols.h"
#include "otf2-convert/timeline/constructs.h"

#include <pthread.h>
#include <stdatomic.h>

#define REGIONS_MAX (1u << 20) /* with further places, constructs get the region without a place */
#define REGION_NONE UINT32_MAX

/* A file that code comes from, seen in one or several processes. */
struct code_module {
  const char *path;        /* of their names */
  struct symbols *symbols; /* NULL: there are none */
};
#define MODULE_NONE UINT32_MAX

/* Modules with their names, apart from definitions. */
struct code_modules {
  VECTOR(struct code_module) items;
  struct string_table names; /* build id and path, by number */
};

struct region {
  enum construct construct;
  uint32_t module; /* MODULE_NONE: the place is unknown */
  uint64_t offset; /* of the return address, in the module's own addresses; of the first copy that was seen. Of
                      C_ON_PROCESSOR: 1 + the thread's location */
  struct source_place place;
  bool java;     /* the place is a Java method; module and offset say nothing */
  bool unloaded; /* its library was unloaded, and is unknown */
  bool user;     /* there is no place; its function is the program's name for it */
};

/* The refs of attributes. Those of dependences and of the user's events follow, in the order in which they are met. */
enum attribute {
#define X(constant, ...) ATTRIBUTE_##constant,
  ATTRIBUTES(X)
#undef X
      ATTRIBUTE_COUNT
};
#define ATTRIBUTE_NONE UINT32_MAX

/*
 * Strings that are values of attributes are known before the first event: those of this list, whose refs are these, and
 * the names of Java classes.
 */
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

#define USER_TYPES 2u /* of attributes, enum raw_user_type */

/* An attribute of the user's events; processes share those of the same name and type. */
struct user_attribute {
  const char *name; /* the plan's */
  OTF2_Type type;
  uint32_t ref;
};

/* A Java class. */
struct class_use {
  uint32_t name;          /* ref of the string; STRING_EMPTY unknown */
  enum construct waiting; /* what a thread does that is parked with such a blocker */
};

#define DEFINITIONS_TEXT_MAX 32768u /* bytes of a string; the rest is cut off */
#define CALLERS_TEXT_MAX     2048u  /* likewise, of callers ... */
#define CALLERS_MAX          32768u /* ... of so many places of a process */

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
  int trace_fd; /* the trace's directory (kernel_page.h); the caller's. -1: none */
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

/* A worker's memory of the regions it met last: a place for each of so many hashes, the last one met has it. */
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

/* Sets out_of_memory if memory is short. */
void definitions_begin(struct definitions *definitions, const struct plan *plan);
void definitions_free(struct definitions *definitions);
/* Lets definitions of the same process, as it is known later, have the modules of those that are freed before: their
 * numbers and symbols stay. */
void definitions_take_modules(struct definitions *definitions, struct code_modules *modules);
void definitions_give_modules(struct definitions *definitions, struct code_modules *modules);
void code_modules_free(struct code_modules *modules);
void region_cache_clear(struct region_cache *cache);

uint32_t definitions_region_slow(struct definitions *definitions, struct region_cache *cache, uint32_t process,
                                 enum construct construct, uint64_t code);

/* The place of code in a process; without file and function: unknown. Valid as long as the definitions. */
struct source_place definitions_place(struct definitions *definitions, uint32_t process, uint64_t code);

/* The region of a construct whose code was outlined into a function that begins at an address of a module (a number of
 * `modules`), or whose line it is (0: unknown); NULL: there is none. Once all events are written. */
const struct region *definitions_outlined(const struct definitions *definitions, uint32_t module, uint64_t begin,
                                          const char *file, uint32_t line);

/* Whether a module is an OpenMP runtime, or a library of Heddle's. */
bool code_is_runtime(const struct module *module);
/* The number of a module's file among `modules`, where it is new or known, perhaps from another process. With the lock.
 * MODULE_NONE: memory is short. */
uint32_t definitions_module(struct definitions *definitions, const struct module *module);

/* The module of code of a process. Valid as long as the definitions. */
struct code_home {
  const char *path;        /* NULL: in no known module */
  uint64_t base;           /* of the module's own addresses */
  uint32_t module;         /* number of `modules`; MODULE_NONE: no known module */
  struct symbols *symbols; /* NULL: the file cannot be read. One thread at a time, and none that asks for other
                              definitions meanwhile */
  bool runtime;            /* it is an OpenMP runtime, or a library of Heddle's ... */
  bool tool;               /* ... which it is */
};
/* index: of a module of the process, as module_map_find has it. */
struct code_home definitions_home(struct definitions *definitions, uint32_t process, uint32_t index);

/* Code of a process as a function of it, also of an OpenMP runtime's. Valid as long as the definitions. */
struct code_place {
  struct code_home home;
  struct code_function function; /* that was compiled, with its line there */
  const char *file;              /* of the innermost function that was inlined into it there; "": unknown */
  uint32_t line;                 /* likewise; 0: unknown */
  uint64_t offset;               /* of the code, in the module's own addresses; without a module its address */
  bool java;                     /* of a Java method: no module has it */
};
struct code_place definitions_code(struct definitions *definitions, uint32_t process, uint64_t code);

/* The global variable at an address of a process, outside of OpenMP's runtimes, and how many bytes behind its begin;
 * likewise. NULL: none is known. */
const char *definitions_object(struct definitions *definitions, uint32_t process, uint64_t address, uint64_t *into);

/* The name of the variable that has an address, with the part of it that is there: `queue.lock`, `forks[2]`. False: it
 * is in none that is known. */
bool definitions_variable(struct definitions *definitions, uint32_t process, uint64_t address, char *name, size_t size);

/* The ref of the attribute `depend <kind> <number>`, number from 1; kind: ompt_dependence_type_t. */
uint32_t definitions_depend(struct definitions *definitions, unsigned kind, unsigned number);

/* The ref of the attribute that counts executions with durations of a bucket (raw_row_bucket). */
uint32_t definitions_duration(struct definitions *definitions, unsigned bucket);

/* The code of a region of the user's, by the id of its name. */
static inline uint64_t definitions_user_code(uint64_t name)
{
  return (name & (RAW_VALUE_MASK >> 1)) + 1;
}

/* The ref of an attribute of the user's, by the id of its name in the process, which is checked; ATTRIBUTE_NONE: no
 * name. */
uint32_t definitions_user_attribute(struct definitions *definitions, uint32_t process, uint64_t name,
                                    enum raw_user_type type);

/* A class of a process, by its id there, which is checked. */
struct class_use definitions_class(const struct definitions *definitions, uint32_t process, uint64_t id);

/* The string with an object's class, and the field that it was found in, if it is known: java.lang.Object
 * "Server.lock". STRING_EMPTY: unknown. */
uint32_t definitions_java_object(const struct definitions *definitions, uint32_t process, uint64_t object);

/* The ref of a text; STRING_EMPTY: memory is short. While events are written. */
uint32_t definitions_string(struct definitions *definitions, const char *text);
/* A copy of the text with a ref. */
void definitions_text(struct definitions *definitions, uint32_t ref, char *text, size_t size);

/* Whether a thread that waits in a place of a process has no work. */
bool definitions_idles(const struct definitions *definitions, uint32_t process, uint64_t code);

/* The string with the callers of a place of a process; STRING_EMPTY: unknown. */
uint32_t definitions_callers(const struct definitions *definitions, uint32_t process, uint64_t code);

/*
 * The region of a construct whose return address is *code. If the address is unknown, or in an OpenMP runtime (the call
 * was a tail call), *code becomes the enclosing construct's.
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
