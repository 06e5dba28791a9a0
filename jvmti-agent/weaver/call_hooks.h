/*
 * Hooks of exact calls: HeddleHook.called at the begin of methods, and HeddleHook.left wherever they end: before each
 * return, and in a handler for what is thrown out of them. Constructors and static initializers are methods, too.
 *
 * What a constructor throws out of its call of another constructor cannot be caught in it. So HeddleHook.caught, at the
 * begin of the methods' own handlers, tells which method has caught something: what it has called has ended.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_CALL_HOOKS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_CALL_HOOKS_H

#include "jvmti-agent/weaver/weave.h"

/* The number by which the hooks name a method; negative: it gets none. match->pc is 0. */
typedef int32_t call_hooks_number(void *context, const struct weave_match *match);

/*
 * Weaves a class. Bytes NULL: it stays as it is, as with weave(). *unchanged: methods that were given a number and stay
 * as they are. Methods without code and bridges are not asked for. The caller frees the bytes.
 */
struct buffer call_hooks_weave(const uint8_t *bytes, size_t size, call_hooks_number *number, void *context,
                               unsigned *unchanged);

#endif
