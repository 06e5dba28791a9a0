/* Keys of what a process has numbers for: the same number means something else in another process. */
#ifndef HEDDLE_ANALYZER_TRACE_IN_PROCESS_H
#define HEDDLE_ANALYZER_TRACE_IN_PROCESS_H

#include "analyzer/trace/trace.h"
#include "base/hash.h"

/* Of a number in a location's process. */
static inline uint64_t trace_key_in_process(const struct trace *trace, uint32_t location, uint64_t number)
{
  return hash_mix(number) ^ hash_mix(trace->locations[location].process + 0x1234567ull);
}

#endif
