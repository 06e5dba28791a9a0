/*
 * Inside of describe*.c: the writer of definitions with the strings it has written.
 */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_DESCRIBER_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_DESCRIBER_H

#include "base/hash.h"
#include "otf2-convert/convert.h"

struct describer {
  const struct plan *plan;
  const struct converted *converted;
  struct definitions *definitions; /* looks up further places */
  struct archive *archive;
  OTF2_GlobalDefWriter *writer;
  struct string_table strings;    /* their numbers are the refs */
  OTF2_StringRef *location_names; /* by location; from describe_machine() on */
  bool of_samples;                /* the archive is the second one */
  bool of_calls;                  /* ... or the third one */
  int error;
};

/* The ref of a string, which is written when it is new. */
OTF2_StringRef describer_string(struct describer *d, const char *text);
OTF2_StringRef describer_format(struct describer *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the definition of an attribute. */
void describer_attribute(struct describer *d, OTF2_AttributeRef ref, OTF2_StringRef name, const char *description,
                         OTF2_Type type);
/* Writes the strings that events refer to, whose refs are fixed; first of all. */
void describer_begin(struct describer *d);
void describer_end(struct describer *d);

/*
 * The name of a function, whose code is that of its entry: `function`; `function (omp @file:line)` of what the compiler
 * took out of it; `[module+0x...]` without a symbol.
 */
void describer_function(const struct code_place *code, char *name, size_t size);
/* The construct that code was outlined for, as the first archive names it; NULL: it has no such construct. Once all
 * events are written. */
const char *describer_construct(struct describer *d, const struct code_home *home,
                                const struct code_function *function);

/* The clock, which the second archive shares. */
void describer_clock(struct describer *d);

/* A region's name: `construct @file:line`, or as much of it as is known (describe_regions.c). */
OTF2_StringRef describer_region(struct describer *d, const struct region *region);
/* Regions with their places (describe_regions.c). */
void describe_regions(struct describer *d);
/* Names of locks (describe_locks.c); their processes are written. */
void describe_locks(struct describer *d);
/* ... and of what POSIX threads wait for (describe_objects.c). */
void describe_objects(struct describer *d);
/* Machines, processes, threads and their properties (describe_machine.c). */
void describe_machine(struct describer *d, int trace_fd);
/* The processors that ran them, once their machines are described (describe_processors.c). */
void describe_processors(struct describer *d);

/* What was counted for threads (describe_counters.c). */
void describe_counters(struct describer *d);
/* The names of a thread's counters whose counts were scaled, with commas between them; false: none was. */
bool describe_counters_scaled(const struct location *location, char *names, size_t size);

#endif
