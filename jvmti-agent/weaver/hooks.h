/*
 * Hooks: their kinds, their methods' class, and the instructions that call them at the begin of a method, at its
 * ends and around calls.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOKS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOKS_H

#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/guards.h"
#include "jvmti-agent/weaver/relocate.h"

#include <stdbool.h>

/*
 * A hooked method reports its begin (HOOK_ENTER), and its end (HOOK_EXIT), by a return or by what it throws. A hooked
 * call reports both sides, but not what is thrown out of it.
 */
enum hooks {
  HOOK_ENTER = 1,
  HOOK_EXIT = 2,
  HOOK_BOTH = 3,
  HOOK_VALUES = 4, /* the hooks get arguments and results; a method's end has no arguments */
  HOOK_THIS = 8,   /* HOOK_ENTER of a method of an object gets this object alone, in `first` */
  HOOK_HASH = 16,  /* HOOK_ENTER gets an identity hash as the number, and its object in `first`. HOOK_THIS: it is this
                      object; HOOK_VALUES: it is the last argument that is an object; 0: that is null */
  HOOK_CLASS_HASH = 32, /* with HOOK_HASH and HOOK_THIS: the identity hash of its class is in the number's upper half */
  HOOK_LOCK = 64 /* of a call: where a synchronized block locks its result at once, the lock and the release, too */
};

/*
 * Fields of a call's arguments: HOOK_EXIT gets their values in place of the objects, HOOK_LONGS longs and a boolean in
 * this order. If the class file itself does not refer to a field, the hook gets 0 for it or, if it is `needed`, the
 * objects. The arguments are not null, because the call has used them.
 */
enum { HOOK_LONGS = 6, HOOK_FIELDS = HOOK_LONGS + 1 };
struct hook_field {
  unsigned argument; /* 0: the first one that is an object, 1: the second */
  const char *name;
  bool needed;
};

/*
 * The class that woven code calls is public, in package java.lang of the boot loader, so that every class may call it.
 * Its methods are static, and most are native:
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
 *     void called(int method)                                             an exact call begins (call_hooks.h)
 *     void left(int method)                                               ... and ends
 *     void caught(int method)                                             all calls that the method made have ended
 * number: in begin the first argument that is an int or long (or smaller), at the end such a result; else 0. first,
 * second: the arguments that are objects; a result that is an object is `first` in exit.
 *
 * hashed and classed are Java code that calls enter: asking for a hash in Java takes a tenth of the time in C.
 *
 * All but the last five also exist with guards (guards.h), as beginIfOn: Java code that calls the native method if the
 * guard allows. Guards read the switches of sites and the tables of threads in the process' memory. C changes switches
 * at any time, from any thread, for all threads.
 */

#define HOOK_CLASS                  "java/lang/HeddleHook"
#define HOOK_DESCRIPTOR_OF_PLACE    "(I)V"
#define HOOK_DESCRIPTOR_OF_ACQUIRED "(Ljava/lang/Object;I)V"
#define HOOK_DESCRIPTOR_OF_RELEASED "(Ljava/lang/Object;)V"

/* Methods that exist with guards, too. */
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

/* Adds a reference to one of the methods to the constants of a class. */
uint16_t hook_class_method(struct constants *constants, const char *name, const char *descriptor);

/* Returns the class file. failed: out of memory. */
struct buffer hook_class(const struct hook_memory *memory);

/* Words of stack that a hook needs; that a hook with fields needs. */
#define HOOK_STACK        5u
#define HOOK_STACK_FIELDS 16u

/* The hooks as constants of one class; zero at the begin, and added when they are needed. */
struct hook_constants {
  struct constants *constants;
  uint16_t methods[HOOK_METHODS][GUARDS];
};

/* One place that is hooked. */
struct hook_place {
  struct signature signature; /* of the method that is hooked or called */
  uint32_t site;
  unsigned hooks; /* enum hooks */
  enum hook_guard guard;
  uint16_t query;                  /* a static method ()I that gives the number in enter; 0: an argument does */
  unsigned kept;                   /* a call's arguments from this one on are kept in variables, for the hooks */
  const struct hook_field *fields; /* what the hook gets in place of objects; NULL: objects */
  uint16_t refs[HOOK_FIELDS];      /* ... as constants; 0: unknown */
};

/* Adds the hook at the begin of a method, where the arguments are in their variables. */
void hook_code_enter(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* Adds the hook before an instruction that returns; the result stays on the stack. */
void hook_code_exit(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* Returns a handler of all exceptions in the method; the caller makes its stack map. */
struct last_handler hook_code_thrown(struct hook_constants *hooks, const struct hook_place *place);

/*
 * Gives the arguments that the hooks of a call need variables of their own, from `variable` on. Returns how many words
 * of variables that takes.
 */
unsigned hook_code_keep(struct hook_place *place, unsigned variable);
/* Add the hooks before and after the call. The variables are cleared afterwards, so that no object lives longer. */
void hook_code_before_call(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
void hook_code_after_call(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* Adds the hook before a call of an object's method; it gets the object if the method has no argument, or one long. */
void hook_code_before_virtual(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* Adds the hook after such a call. */
void hook_code_after_virtual(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* Adds the hook after the result of the call is locked; before it is released. */
void hook_code_lock(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place, bool locked);

#endif
