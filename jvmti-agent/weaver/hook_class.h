/*
 * The class that woven code calls: public, in package java.lang of the boot loader, so that every class may call it.
 * Its methods are native and static:
 *     void begin(int site)                                                a method begins, or before a call
 *     void end(int site)                                                  a method returns, or after a call
 *     void enter(long number, Object first, Object second, int site)      as begin, with values
 *     void exit(long number, Object first, Object second, int site)       as end, with values
 *     void fields(long number, long, long, long, long, long, long, boolean, int site)     as exit, with HOOK_FIELDS
 *     void thrown(int site)                                               a method ends with an exception
 *     void acquired(Object monitor, int site)                             after the calling thread acquired a monitor
 *     void released(Object monitor)                                       before the thread releases it
 * number: in enter the first argument that is an int or long (or smaller), in exit such a result; else 0. first,
 * second: the arguments that are objects; a result that is an object is `first` in exit.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H

#include "jvmti-agent/weaver/constants.h"

#define HOOK_CLASS                  "java/lang/HeddleHook"
#define HOOK_DESCRIPTOR             "(JLjava/lang/Object;Ljava/lang/Object;I)V"
#define HOOK_DESCRIPTOR_OF_PLACE    "(I)V"
#define HOOK_DESCRIPTOR_OF_FIELDS   "(JJJJJJJZI)V"
#define HOOK_DESCRIPTOR_OF_ACQUIRED "(Ljava/lang/Object;I)V"
#define HOOK_DESCRIPTOR_OF_RELEASED "(Ljava/lang/Object;)V"

/* A reference to one of these methods, added to the constants of a class. */
uint16_t hook_class_method(struct constants *constants, const char *name, const char *descriptor);

/* The class file; failed: no memory. */
struct buffer hook_class(void);

#endif
