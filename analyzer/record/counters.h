/* Option --counters of `heddle record`. */
#ifndef HEDDLE_ANALYZER_RECORD_COUNTERS_H
#define HEDDLE_ANALYZER_RECORD_COUNTERS_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/environment.h"

/* Sets HEDDLE_COUNTERS for the counters named in the value, if this machine counts all of them. Returns -1 to go on,
 * else the exit status after a message. */
int record_counters_take(const struct option_given *given, struct environment *environment);

#endif
