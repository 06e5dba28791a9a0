/*
 * What reading traces cost this process so far: the measure of how often analyses read. Nothing shows it; tests hold
 * commands to it. Any thread may add and look.
 */
#ifndef HEDDLE_ANALYZER_TRACE_WORK_H
#define HEDDLE_ANALYZER_TRACE_WORK_H

#include <stdint.h>

struct work {
  uint64_t events;        /* decoded, of all streams; those that are decoded again count again */
  uint64_t written, read; /* bytes that were kept outside of the trace until they were needed, and fetched again */
};

struct work work_so_far(void);

void work_add_events(uint64_t events);
void work_add_written(uint64_t bytes);
void work_add_read(uint64_t bytes);

#endif
