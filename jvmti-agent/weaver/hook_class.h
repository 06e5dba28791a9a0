/*
 * The class that woven code calls: public, in package java.lang of the boot loader, so that every class may call it.
 * Its methods are static; all that is of use in them is native:
 *     void begin(int site)                                                a method begins, or before a call
 *     void end(int site)                                                  a method returns, or after a call
 *     void number(long number, int site)                                  as begin, with a number
 *     void result(long number, int site)                                  as end, with a number
 *     void enter(long number, Object first, Object second, int site)      as begin, with values
 *     void exit(long number, Object first, Object second, int site)       as end, with values
 *     void fields(long number, long, long, long, long, long, long, boolean, int site)     as end, with HOOK_FIELDS
 *     void object(Object receiver, int site)                              as begin, before a call of its method
 *     void thrown(int site)                                               a method ends with an exception
 *     void acquired(Object monitor, int site)                             after the calling thread acquired a monitor
 *     void released(Object monitor)                                       before the thread releases it
 * number: in begin the first argument that is an int or long (or smaller), at the end such a result; else 0. first,
 * second: the arguments that are objects; a result that is an object is `first` in exit.
 *
 * The first eight also exist as beginIfOn and so on: Java code that calls the native one if the site's switch is not 0.
 * Switches are bytes in the process' memory, so that C changes them at any time, from any thread, for every thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H

#include "jvmti-agent/weaver/constants.h"

#define HOOK_CLASS                  "java/lang/HeddleHook"
#define HOOK_DESCRIPTOR_OF_PLACE    "(I)V"
#define HOOK_DESCRIPTOR_OF_ACQUIRED "(Ljava/lang/Object;I)V"
#define HOOK_DESCRIPTOR_OF_RELEASED "(Ljava/lang/Object;)V"

/* Those that have a twin with a switch. */
enum hook_method {
  HOOK_BEGIN,
  HOOK_END,
  HOOK_NUMBER,
  HOOK_RESULT,
  HOOK_ENTERED,
  HOOK_EXITED,
  HOOK_OF_FIELDS,
  HOOK_OBJECT
};
#define HOOK_METHODS 8u

/* A reference to one of the methods, added to the constants of a class. */
uint16_t hook_class_method(struct constants *constants, const char *name, const char *descriptor);
uint16_t hook_class_switched(struct constants *constants, enum hook_method method, bool switched);

/* The class file. switches: the address of the switch of site 0; the others follow. failed: no memory. */
struct buffer hook_class(const uint8_t *switches);

#endif
