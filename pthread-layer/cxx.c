/*
 * Functions of libstdc++ that wait or wake: where the program called them, and what a std::thread executes. They may
 * throw: then what was noted is forgotten by the next one.
 */
#include "pthread-layer/cxx.h"

#include "pthread-layer/callers.h"
#include "pthread-layer/layer.h"

#include <stdlib.h>

static __thread uintptr_t started __attribute__((tls_model("initial-exec")));

uintptr_t cxx_started(void)
{
  uintptr_t function = started;
  started = 0;
  return function;
}

/* The wrapped function. What the program calls is there. */
static void *behind(void *_Atomic *known, const char *name, uintptr_t caller)
{
  void *function = atomic_load_explicit(known, memory_order_relaxed);
  if (function)
    return function;
  function = next_of(name, (const void *)caller);
  if (!function)
    abort();
  return function;
}

/* Functions of one or two pointers that return nothing: `this`, and perhaps another. */
#define WRAPPED(name)                                                                                                  \
  LAYER_WRAPPER void name(void *object, void *other);                                                                  \
  void name(void *object, void *other)                                                                                 \
  {                                                                                                                    \
    static void *_Atomic known;                                                                                        \
    void (*function)(void *, void *) = (void (*)(void *, void *))behind(&known, #name, LAYER_CALLER());                \
    callers_note(LAYER_CALLER());                                                                                      \
    function(object, other);                                                                                           \
    callers_note(0);                                                                                                   \
  }

/* std::condition_variable: wait, notify_one, notify_all */
WRAPPED(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)
WRAPPED(_ZNSt18condition_variable10notify_oneEv)
WRAPPED(_ZNSt18condition_variable10notify_allEv)
/* std::thread::join */
WRAPPED(_ZNSt6thread4joinEv)

/* std::thread::_M_start_thread: the state's virtual function, behind its two destructors, is what the thread executes.
 */
#define START _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
LAYER_WRAPPER void START(void *object, const uintptr_t *const **state, void (*depend)(void));

void START(void *object, const uintptr_t *const **state, void (*depend)(void))
{
  static void *_Atomic known;
  static const char name[] = "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";
  enum { RUN = 2 };
  void (*function)(void *, const uintptr_t *const **, void (*)(void)) =
      (void (*)(void *, const uintptr_t *const **, void (*)(void)))behind(&known, name, LAYER_CALLER());
  callers_note(LAYER_CALLER());
  started = (**state)[RUN];
  function(object, state, depend);
  callers_note(0);
  started = 0;
}
