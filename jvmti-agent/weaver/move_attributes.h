/* The attributes of a method's code, moved with it: lines, variables, stack maps, annotations of types. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_MOVE_ATTRIBUTES_H
#define HEDDLE_JVMTI_AGENT_WEAVER_MOVE_ATTRIBUTES_H

#include "jvmti-agent/weaver/moving.h"

/*
 * Appends the attributes of the code, and their number. end: where the last handler is in the new code. Left out are
 * those that nobody knows: they may name places, and the JVM ignores them.
 */
void move_attributes(struct moving *moving, uint32_t end);

#endif
