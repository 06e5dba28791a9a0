/*
 * Hooks of exact calls: HeddleHook.called at the begin of methods, and HeddleHook.left at their ends. The ends are
 * before each return, and in a handler for what is thrown out of them. Constructors and static initializers are
 * methods, too.
 *
 * A constructor cannot catch what its call of another constructor throws. Therefore HeddleHook.caught, at the begin of
 * the methods' own handlers, reports the method that has caught an exception: all calls that it made have ended.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_CALL_HOOKS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_CALL_HOOKS_H

#include "jvmti-agent/weaver/weave.h"

/* Returns the number by which the hooks name a method; negative: it gets no hooks. match->pc is 0. */
typedef int32_t call_hooks_number(void *context, const struct weave_match *match);

/*
 * Returns the class with hooks; the caller frees the bytes. Bytes NULL: it stays as it is, as with weave(). *unchanged:
 * methods that have a number, but cannot be changed. Methods without code and bridges get no number.
 */
struct buffer call_hooks_weave(const uint8_t *bytes, size_t size, call_hooks_number *number, void *context,
                               unsigned *unchanged);

#endif
