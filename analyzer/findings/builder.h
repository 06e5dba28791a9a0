/* Private to findings/: the growing list of findings, and what all kinds of findings need. */
#ifndef HEDDLE_ANALYZER_FINDINGS_BUILDER_H
#define HEDDLE_ANALYZER_FINDINGS_BUILDER_H

#include "analyzer/findings/findings.h"
#include "analyzer/print/units.h"
#include "base/vector.h"

struct builder {
  const struct findings_of *of;
  double run; /* ticks, as in struct findings */
  VECTOR(struct finding) list;
};

/* "so up to 3.000 ms (12.0 % of the run) could be won" */
#define WON_SIZE (UNITS_SIZE + 96)
const char *builder_won(const struct builder *builder, double ticks, char text[WON_SIZE]);

/* A duration in words. */
const char *builder_duration(const struct builder *builder, double ticks, char text[UNITS_SIZE]);

/*
 * Adds a finding with a text, also one below FINDINGS_WORTH: the largest may be named. False: out of memory.
 */
__attribute__((format(printf, 3, 4))) bool builder_add(struct builder *builder, const struct finding *finding,
                                                       const char *format, ...);

const char *builder_region_name(const struct builder *builder, uint32_t region);

/* How many processors the process of a thread may use; 0: unknown. */
uint64_t builder_processors(const struct builder *builder, uint32_t location);

/* Each adds the findings of one subject. False: out of memory. */
bool regions_add(struct builder *builder);
bool constructs_add(struct builder *builder);
bool lock_waits_add(struct builder *builder);
bool serial_add(struct builder *builder);
bool processors_add(struct builder *builder);
bool throttled_add(struct builder *builder);
bool collection_add(struct builder *builder);
bool measurement_add(struct builder *builder);
bool awaited_add(struct builder *builder);
bool deadlocks_add(struct builder *builder);
/* Adds a region's own imbalance and overhead, ticks of the run. False: out of memory. */
bool region_add_uneven(struct builder *builder, uint32_t region, double uneven, double overhead);

/* By how many ticks the members of a region lacked a processor unevenly: the others may have waited for so long. */
double processors_uneven(const struct builder *builder, uint32_t region, uint32_t threads);

/* The simulation of a loop; NULL: none. */
const struct schedule_loop *builder_loop(const struct builder *builder, uint32_t region);

#endif
