/*
 * The class that woven code calls: public, in package java.lang of the boot loader, so that every class may call it.
 * Its methods are static; nearly all that is of use in them is native:
 *     void begin(int site)                                                a method begins, or before a call
 *     void end(int site)                                                  a method returns, or after a call
 *     void number(long number, int site)                                  as begin, with a number
 *     void result(long number, int site)                                  as end, with a number
 *     void enter(long number, Object first, Object second, int site)      as begin, with values
 *     void exit(long number, Object first, Object second, int site)       as end, with values
 *     void fields(long number, long, long, long, long, long, long, boolean, int site)     as end, with HOOK_FIELDS
 *     void object(Object receiver, int site)                              as begin, before a call of its method
 *     void hashed(Object of, int site)                                    as enter, with the object's hash as number
 *     void classed(Object of, int site)                                   ... and its class' hash in the upper half
 *     void thrown(int site)                                               a method ends with an exception
 *     void locked(int site)                                               the result of a call has been locked
 *     void unlocked(int site)                                             ... and is about to be released, or has been
 *     void acquired(Object monitor, int site)                             after the calling thread acquired a monitor
 *     void released(Object monitor)                                       before the thread releases it
 *     void called(int method)                                             an exact call begins (methods.h)
 *     void left(int method)                                               ... and ends
 *     void caught(int method)                                             all calls that the method made have ended
 * number: in begin the first argument that is an int or long (or smaller), at the end such a result; else 0. first,
 * second: the arguments that are objects; a result that is an object is `first` in exit.
 *
 * hashed and classed are Java code, which calls enter: to ask for a hash there takes a tenth of what it takes in C.
 *
 * All but the last five also exist with guards before them (hook_guards.h): beginIfOn and so on, Java code that calls
 * the native one unless the guard knows better. Guards read switches, of sites, and tables, of threads, in the process'
 * memory: C changes the former at any time, from any thread, for every thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CLASS_H

#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/guards.h"

#define HOOK_CLASS                  "java/lang/HeddleHook"
#define HOOK_DESCRIPTOR_OF_PLACE    "(I)V"
#define HOOK_DESCRIPTOR_OF_ACQUIRED "(Ljava/lang/Object;I)V"
#define HOOK_DESCRIPTOR_OF_RELEASED "(Ljava/lang/Object;)V"

/* Those that have guards. */
enum hook_method {
  HOOK_BEGIN,
  HOOK_END,
  HOOK_NUMBER,
  HOOK_RESULT,
  HOOK_ENTERED,
  HOOK_EXITED,
  HOOK_OF_FIELDS,
  HOOK_OBJECT,
  HOOK_HASHED,
  HOOK_CLASSED,
  HOOK_THROWN,
  HOOK_LOCKED,
  HOOK_UNLOCKED
};
#define HOOK_METHODS 13u

/* A reference to one of the methods, added to the constants of a class. */
uint16_t hook_class_method(struct constants *constants, const char *name, const char *descriptor);
/* The guard that stands before a method where this one is wanted: not each method has each. */
enum hook_guard hook_class_guard(enum hook_method method, enum hook_guard wanted);
/* ... with this guard, which it has. */
uint16_t hook_class_guarded(struct constants *constants, enum hook_method method, enum hook_guard guard);

/* The class file. failed: no memory. */
struct buffer hook_class(const struct hook_memory *memory);

#endif
