/*
 * A method's code with instructions put in: everything that names a place in the code (branches, exception table, line
 * numbers, variables, stack maps, annotations of types) is moved with it. What can't be moved makes relocate() say no,
 * and the method stays as it is.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H

#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/relocation.h"

/*
 * Appends the new Code attribute. False: the method can't be changed, or would become too long to be compiled; then
 * there is garbage behind.
 */
bool relocate(struct buffer *attribute, const struct relocation *relocation);

#endif
