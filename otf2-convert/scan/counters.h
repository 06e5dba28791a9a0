/*
 * Counters that a process' threads read (HEDDLE_COUNTERS), from its process file. Each process with counters has a
 * metric class in the archive; classes share metrics of the same name.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_COUNTERS_H
#define HEDDLE_OTF2_CONVERT_SCAN_COUNTERS_H

#include "otf2-convert/plan/plan.h"

#include <otf2/otf2.h>

#define COUNTER_NAMES_MOST                                                                                             \
  8u /* more are ignored; equal to COUNTERS_MOST of common/recorder/counters.h, a test compares both */
#define COUNTER_NAME_SIZE 64u
#define COUNTER_CLASS     1u /* ref of the first process' class; the refs of METRICS have 0 */

struct counter_names {
  unsigned count;
  struct {
    char name[COUNTER_NAME_SIZE]; /* plain text */
    char source;                  /* the letter of its source */
  } list[COUNTER_NAMES_MOST];
};

/* Reads the process' list, which may be any text. */
struct counter_names counter_names(const struct process_info *info);

/* Numbers the classes of the processes. Once, before events are converted. */
void counter_classes(struct plan *plan);

/* Return type and unit of a counter in the archive. */
OTF2_MetricType counter_type(char source);
const char *counter_unit(char source, int64_t *exponent);

#endif
