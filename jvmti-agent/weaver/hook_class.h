/*
 * The class that woven code calls: public, in package java.lang of the boot loader, so that every class may call it.
 * Its methods are native and static:
 *     void enter(int site, long number, Object first, Object second)      before the call
 *     void exit(int site, long number, Object first, Object second)       after the call returned
 *     void thrown(int site)                                               after the call threw
 *     void acquired(Object monitor, int site)                             after the calling thread got a monitor
 *     void released(Object monitor)                                       as it gives it up
 * number: in enter the first argument that is an int or long (or smaller), in exit such a result; else 0. first,
 * second: the arguments that are objects; where the result is one, it is the first in exit.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H

#include "jvmti-agent/weaver/buffer.h"

#define HOOK_CLASS                  "java/lang/HeddleHook"
#define HOOK_DESCRIPTOR             "(IJLjava/lang/Object;Ljava/lang/Object;)V"
#define HOOK_DESCRIPTOR_OF_THROWN   "(I)V"
#define HOOK_DESCRIPTOR_OF_ACQUIRED "(Ljava/lang/Object;I)V"
#define HOOK_DESCRIPTOR_OF_RELEASED "(Ljava/lang/Object;)V"

/* The class file; failed: no memory. */
struct buffer hook_class(void);

#endif
