/*
 * What reading traces cost this process so far. No command shows it; tests hold commands to it. Any thread may add and
 * ask.
 */
#ifndef HEDDLE_ANALYZER_TRACE_READING_COST_H
#define HEDDLE_ANALYZER_TRACE_READING_COST_H

#include <stdint.h>

struct reading_cost {
  uint64_t events;        /* decoded, of all streams; an event that is decoded again counts again */
  uint64_t written, read; /* bytes of temporary files */
};

struct reading_cost reading_cost_so_far(void);

void reading_cost_add_events(uint64_t events);
void reading_cost_add_written(uint64_t bytes);
void reading_cost_add_read(uint64_t bytes);

#endif
