/*
 * Definitions of the archives, written after all events: clock, machine, processes, threads, teams, regions,
 * attributes, and the properties of the run.
 */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_DESCRIBE_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_DESCRIBE_H

#include "base/hash.h"
#include "otf2-convert/convert.h"

/* Writes the definitions of traces.otf2. trace_fd: the trace directory. Returns 0 or an errno value. */
int describe_archive(const struct plan *plan, const struct converted *converted, struct definitions *definitions,
                     struct archive *archive, int trace_fd);
/* The same for samples.otf2 (samples.h), and closes it; nothing without samples. */
int describe_samples(const struct plan *plan, struct converted *converted, struct definitions *definitions,
                     int trace_fd);
/* The same for calls.otf2 (calls.h). */
int describe_calls(const struct plan *plan, struct converted *converted, struct definitions *definitions, int trace_fd);

/* The rest is for describe*.c only: the writer of definitions, with the strings that it has written. */
struct describer {
  const struct plan *plan;
  const struct converted *converted;
  struct definitions *definitions; /* looks up further places */
  struct archive *archive;
  OTF2_GlobalDefWriter *writer;
  struct string_table strings;    /* their numbers are the refs */
  OTF2_StringRef *location_names; /* by location; from describe_machine() on */
  bool of_samples;                /* the archive is samples.otf2 */
  bool of_calls;                  /* the archive is calls.otf2 */
  int error;
};

/* Returns the ref of a string, and writes a new one. */
OTF2_StringRef describer_string(struct describer *d, const char *text);
OTF2_StringRef describer_format(struct describer *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the definition of an attribute. */
void describer_attribute(struct describer *d, OTF2_AttributeRef ref, OTF2_StringRef name, const char *description,
                         OTF2_Type type);
/* Writes the strings that events refer to, with their fixed refs; before anything else. */
void describer_begin(struct describer *d);
void describer_end(struct describer *d);

/*
 * Writes the name of a function. code: of its entry. Result: `function`; `function (omp @file:line)` if the compiler
 * outlined it; `[module+0x...]` without a symbol.
 */
void describer_function(const struct code_place *code, char *name, size_t size);
/* Returns the construct that code was outlined for, as traces.otf2 names it; NULL: it has none. After all events were
 * written. */
const char *describer_construct(struct describer *d, const struct code_home *home,
                                const struct code_function *function);

/* Writes the clock. */
void describer_clock(struct describer *d);

/* Returns the ref of a region's name: `construct @file:line`, or the known part of it. */
OTF2_StringRef describer_region(struct describer *d, const struct region *region);
/* Writes regions with their places (describe_objects.c). */
void describe_regions(struct describer *d);
/* Writes names of locks (describe_objects.c), after their processes. */
void describe_locks(struct describer *d);
/* Writes names of the objects that POSIX threads wait for (describe_objects.c). */
void describe_objects(struct describer *d);
/* Writes machines, processes, threads and their properties (describe_machine.c). */
void describe_machine(struct describer *d, int trace_fd);
/* Writes processors, after their machines (describe_machine.c). */
void describe_processors(struct describer *d);

/* Writes the metrics of threads' counters (describe_objects.c). */
void describe_counters(struct describer *d);
/* Writes the names of a thread's scaled counters, separated by commas. False: none was scaled. */
bool describe_counters_scaled(const struct location *location, char *names, size_t size);

#endif
