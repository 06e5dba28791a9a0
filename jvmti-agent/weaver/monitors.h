/*
 * Hooks at monitors: HeddleHook.acquired behind each enter and HeddleHook.released in front of each exit, in
 * synchronized blocks and synchronized methods. No method is added, so that a class can be redefined as before.
 *
 * Only code of the shape that javac and the compiler of Eclipse give it is changed: a handler that gives the monitor up
 * is there for whatever is thrown behind the enter. So no monitor is kept when a hook throws, as it does when the stack
 * overflows: the handler gives it up before it calls the hook, or it would be called again for ever.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_MONITORS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_MONITORS_H

#include "jvmti-agent/weaver/weave.h"

/* The number by which the hook names an enter at match->pc (0 in a synchronized method); negative: leave it out. */
typedef int32_t monitors_site(void *context, const struct weave_match *match);

/*
 * Weaves a class. Bytes NULL: it stays as it is, as with weave(). *left_out: methods with monitors that could not be
 * changed. The caller frees the bytes.
 */
struct buffer monitors_weave(const uint8_t *bytes, size_t size, monitors_site *site, void *context, unsigned *left_out);

#endif
