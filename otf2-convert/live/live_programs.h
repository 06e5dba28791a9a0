/*
 * A process may be several programs in turn (exec). Each has a directory of its own in raw/, but their samples are in
 * one log.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_PROGRAMS_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

struct live_programs {
  bool executed;     /* the process was another program before ... */
  uint64_t replaced; /* ... or is one from then on; ticks. UINT64_MAX: it is not */
};

/* Looks for the directories beside that of a program, into what was found before; at first `replaced` is UINT64_MAX. */
void live_programs_find(struct live_programs *programs, int directory);
/* Whether the process was another program at a time; begun: when this one began. Ticks. */
bool live_programs_is_other(const struct live_programs *programs, uint64_t begun, uint64_t ticks);

#endif
