/*
 * Calls on a stack of ours, for what needs more stack than a thread of the program may have left. Threads are made with
 * 16 KiB, and handlers of signals run on 8 KiB. Beginning and ending to record take tens of KiB (paths, texts, the
 * loader).
 *
 * Each call has a stack of its own, made for it and removed after it. Calls may be nested and come from any thread,
 * from handlers, and from children of fork, without a lock.
 */
#ifndef HEDDLE_COMMON_RECORDER_OWN_STACK_H
#define HEDDLE_COMMON_RECORDER_OWN_STACK_H

#include <stdbool.h>

#define OWN_STACK_SIZE (256u * 1024) /* bytes */

/*
 * Calls function(argument) on such a stack, and waits for it. No signals but faults are delivered to the thread
 * meanwhile, so no handler of the program runs there, or leaves by siglongjmp. The call must not take long. The
 * function calls nothing but libc and us, neither the JVM nor a runtime, starts no thread, and returns. False: there is
 * no memory; it was not called. Needs some 200 bytes of the caller's stack. errno is what the function leaves.
 */
bool own_stack_call(void (*function)(void *), void *argument);

#endif
