/* The monitors of JOMP's critical constructs get the names of these: rows' functions for calls of getLockByName. */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_LOCKS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_LOCKS_H

#include "jvmti-agent/runtimes/table.h"

void jomp_prepare_lock(struct site *site, const struct weave_match *match);
/* Where the name is a constant this has to be done once a site. */
void jomp_after_lock(const struct hook *hook);

#endif
