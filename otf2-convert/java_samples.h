/*
 * Samples of Java threads on their way from records (RAW_JAVA_SAMPLE) to the archive of samples.h.
 */
#ifndef HEDDLE_OTF2_CONVERT_JAVA_SAMPLES_H
#define HEDDLE_OTF2_CONVERT_JAVA_SAMPLES_H

#include "otf2-convert/samples.h"

#define JAVA_DEPTH_MOST 1024u /* calls of a stack; further callers are unknown */

/* The path of a call as samples_add has it, at most JAVA_DEPTH_MOST + 1 codes. Returns how many, at least one. */
uint32_t java_samples_path(const struct java_calls *calls, uint32_t id, uint64_t *path);

/* Puts what the scan noted into the archive of samples, in the pause of the conversion. False: memory is short. */
bool java_samples_merge(struct samples *samples, const struct plan *plan, struct location *locations, uint32_t count);

/* How many samples were not taken in all processes; reasons: "12 garbage collection, 3 ...", "" none. */
uint64_t java_samples_lost(const struct plan *plan, char *reasons, size_t size);

#endif
