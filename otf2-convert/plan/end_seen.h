/* How a process ended, as `heddle record` saw it: a killed process cannot record its end. */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_END_SEEN_H
#define HEDDLE_OTF2_CONVERT_PLAN_END_SEEN_H

#include "otf2-convert/plan/plan.h"

struct end_seen {
  uint64_t pid; /* 0: none was seen */
  bool killed;  /* by a signal; else it exited */
  unsigned number;
};

/* Reads "PID:signal:NUMBER" or "PID:status:NUMBER". False: it is none of them. */
bool end_seen_parse(const char *text, struct end_seen *end);

/* Notes the end in the newest process of that id, unless the process recorded its own end and was not killed later.
 * False: out of memory. */
bool end_seen_note(struct plan *plan, const struct end_seen *end);

#endif
