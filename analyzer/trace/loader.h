/*
 * Private to trace/: how an archive's definitions are read. loader.c collects them from the OTF2 library's callbacks;
 * resolve.c makes a struct trace of them, in which references are indices and pointers.
 */
#ifndef HEDDLE_ANALYZER_TRACE_LOADER_H
#define HEDDLE_ANALYZER_TRACE_LOADER_H

#include "analyzer/trace/trace.h"
#include "base/error.h"
#include "base/vector.h"

#include <stdint.h>

/* Definitions in the archive's order; references may point to later definitions. Each kind has a list. */
struct raw_region {
  OTF2_RegionRef ref;
  OTF2_StringRef name, function, description, file;
  uint32_t line;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
};

struct raw_location {
  OTF2_LocationRef ref;
  OTF2_StringRef name;
  OTF2_LocationGroupRef process;
  OTF2_LocationType kind;
  uint64_t events;
};

struct raw_process {
  OTF2_LocationGroupRef ref;
  OTF2_StringRef name;
};

struct raw_group {
  OTF2_GroupRef ref;
  OTF2_GroupType type;
  OTF2_Paradigm paradigm;
  OTF2_GroupFlag flags;
  uint32_t count;
  uint64_t *members;
};

struct raw_comm {
  OTF2_CommRef ref;
  OTF2_GroupRef group;
};

struct raw_attribute {
  OTF2_AttributeRef ref;
  OTF2_StringRef name, description;
};

struct raw_metric {
  OTF2_MetricMemberRef ref;
  OTF2_StringRef name;
  OTF2_StringRef unit;
  int8_t exponent; /* a value of 1 is 10 to this power of the unit */
  bool counts;     /* its values add up since the measurement's begin */
};

/* A class, or (metrics is NULL) an instance of one. */
struct raw_metric_class {
  OTF2_MetricRef ref, class;
  uint32_t count;
  OTF2_MetricMemberRef *metrics;
};

struct raw_node {
  OTF2_StringRef name;
  OTF2_SystemTreeNodeRef parent;
};

struct raw_property {
  enum trace_owner owner;
  uint64_t ref;
  OTF2_StringRef name_ref;  /* if name is NULL */
  OTF2_StringRef value_ref; /* if value is NULL */
  char *name, *value;
};

struct loader {
  struct trace *trace;
  VECTOR(char *) strings;
  VECTOR(struct raw_region) regions;
  VECTOR(struct raw_location) locations;
  VECTOR(struct raw_process) processes;
  VECTOR(struct raw_group) groups;
  VECTOR(struct raw_comm) comms;
  VECTOR(struct raw_attribute) attributes;
  VECTOR(struct raw_node) nodes;
  VECTOR(struct raw_property) properties;
  VECTOR(struct raw_metric) metrics;
  VECTOR(struct raw_metric_class) metric_classes;
  struct ref_map string_of, process_of, group_of, metric_of;
  bool out_of_memory;
  uint64_t bytes, text_bytes; /* size of the file, and of its texts so far */
};

/* The callbacks that fill a loader (their user data). The caller deletes them. NULL: no memory. */
OTF2_GlobalDefReaderCallbacks *loader_callbacks(void);

/* Copies name and value. False: no memory. */
bool loader_add_property(struct loader *loader, enum trace_owner owner, uint64_t ref, const char *name,
                         const char *value);

/* Moves the collected definitions into loader->trace. False: no memory. */
bool loader_resolve(struct loader *loader);
void loader_free(struct loader *loader);

/* Private to trace/: an archive's anchor file, the .otf2 file that names the archive. */

/* The anchor file of a user's path: the file itself, or the one in that directory. The caller frees it. NULL: an error.
 */
char *anchor_find(const char *path, struct error *error);

/*
 * The OTF2 library trusts the number of properties in an anchor file: a damaged one costs it gigabytes and minutes.
 * False: the number is impossible. The library finds all other damage.
 */
bool anchor_check(const char *anchor, struct error *error);

/* Bytes of the file that has the archive's global definitions; UINT64_MAX: unknown. There are not more definitions in
 * it, nor is there more text, but in some damaged ones the OTF2 library goes round in circles. */
uint64_t anchor_definition_bytes(const char *anchor);

#endif
