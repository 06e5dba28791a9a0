/*
 * Hooks at monitors: HeddleHook.acquired after each enter and HeddleHook.released before each exit, in
 * synchronized blocks and synchronized methods. No method is added, so that a class can be redefined as before.
 *
 * Only code as javac and the compiler of Eclipse generate it is changed: a handler of all exceptions after the enter
 * releases the monitor. Therefore the monitor is released if a hook throws, as at a stack overflow. The handler
 * releases the monitor before it calls the hook; otherwise it would be called again without end.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_MONITOR_HOOKS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_MONITOR_HOOKS_H

#include "jvmti-agent/weaver/weave.h"

/* Returns the number by which the hook names an enter at match->pc (0: synchronized method); negative: no hook. */
typedef int32_t monitor_hooks_site(void *context, const struct weave_match *match);

/*
 * Returns the class with hooks; the caller frees the bytes. Bytes NULL: it stays as it is, as with weave(). *unchanged:
 * methods with monitors that cannot be changed.
 */
struct buffer monitor_hooks_weave(const uint8_t *bytes, size_t size, monitor_hooks_site *site, void *context,
                                  unsigned *unchanged);

#endif
