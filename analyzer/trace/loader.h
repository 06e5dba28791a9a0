/* Private to trace/: collects the definitions while the OTF2 library delivers them, then resolves their references. */
#ifndef HEDDLE_ANALYZER_TRACE_LOADER_H
#define HEDDLE_ANALYZER_TRACE_LOADER_H

#include "analyzer/trace/definitions.h"

struct loader_list {
  void *items;
  uint32_t count;
  uint32_t capacity;
};

struct loader {
  struct trace *trace;
  struct loader_list strings, regions, locations, processes, groups, comms, attributes, nodes, properties;
  struct ref_map string_of, process_of, group_of;
  bool out_of_memory;
};

/* The callbacks that fill a loader (the user data). The caller deletes them. NULL: no memory. */
OTF2_GlobalDefReaderCallbacks *loader_callbacks(void);

/* Copies name and value. False: no memory. */
bool loader_add_property(struct loader *loader, enum trace_owner owner, uint64_t ref, const char *name,
                         const char *value);

/* Moves what was collected into loader->trace. False: no memory. */
bool loader_resolve(struct loader *loader);
void loader_free(struct loader *loader);

#endif
