/*
 * Near the end of a thread's stack a hook can fail with StackOverflowError although the hook before it did not: then an
 * acquisition would be recorded and its release not. So a thread that gets there records the release of all monitors
 * that it holds, and no acquisition until it is back where it acquired the first of them. Everything here is the
 * calling thread's own.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_THREAD_SELF_H
#define HEDDLE_JVMTI_AGENT_CORE_THREAD_SELF_H

#include <stdbool.h>
#include <stdint.h>

struct stack_end {
  uintptr_t zone;   /* addresses below are near the end; 0: unknown yet */
  uintptr_t beyond; /* ~zone, when that is known: one comparison shows that an address is not below */
  uintptr_t silent; /* frames below record nothing; 0: all record */
  uintptr_t first;  /* about where the frame is that acquired the first of the held monitors */
  uint32_t holds;   /* recorded acquisitions without a release */
};

enum stack_end_report {
  STACK_END_NOTHING, /* record nothing */
  STACK_END_REPORT,
  STACK_END_RELEASE_ALL /* record that all monitors are released, and nothing else */
};

/* The same as stack_end_is_near(), and finds the end of the stack if it is unknown. */
bool stack_end_look(struct stack_end *end, uintptr_t here) __attribute__((cold));

/* Whether `here`, an address in the caller's frame, is so near to the end that a hook may fail. */
static inline bool stack_end_is_near(struct stack_end *end, uintptr_t here)
{
  return ~here > end->beyond && stack_end_look(end, here);
}

/* What to record about a monitor that was just acquired; `here`: an address in the caller's frame. */
enum stack_end_report stack_end_acquired(struct stack_end *end, uintptr_t here);
/* Whether to record that a monitor is released. */
bool stack_end_released(struct stack_end *end, uintptr_t here);

/* What the agent knows of the calling (kernel) thread; threads.h finds it out. */

enum thread_state {
  THREAD_NEW = 0, /* nothing was recorded of it yet */
  THREAD_RECORDS,
  THREAD_SILENT /* it ended, or is one of those that the user does not want to see */
};

/* A woven call that is about to be made, as its hook noted it. */
struct noted_call {
  uint64_t place; /* 0: none */
  uintptr_t at;   /* an address in the hook's frame */
};

/* A virtual thread's wait for a monitor. A carrier lets go of it there; it may find that it can't, and keep it. */
struct virtual_enter {
  uint64_t code, object;  /* of the wait that began last */
  uint64_t thread;        /* Thread.getId of the one that was let go of in such a wait; 0: none, or what came then */
  const uint64_t *cursor; /* where the recorder was then */
  uint64_t again;         /* ticks at which it was found to be kept, and its wait goes on; 0: it was not */
};

struct thread_self {
  uint8_t state;              /* enum thread_state */
  uint8_t block;              /* enum raw_block of the interval that is open, or 0 */
  uint8_t whole;              /* ... which is recorded, whatever else is left out */
  uint8_t timed_out;          /* the last Object.wait ended so */
  uint8_t asked_for_timeouts; /* the event MonitorWaited is on for it */
  uint8_t owns_recorder;      /* the thread's recorder was attached for Java: nobody else records after it */
  uint8_t enters;             /* its wait for a monitor is one of monitors.c's */
  uint8_t owner_slot;         /* its wait for a monitor in owners.c; 0: none */
  uint16_t io_ready;          /* bits of enum raw_block: the last input or output of that kind was no wait: see io.h */
  int32_t polled;             /* file descriptor + 1 that its virtual thread is about to park for; 0: none */
  uint32_t name_hash;         /* of the name as last recorded */
  uint32_t round;             /* agent.round, of which all here is */
  uint64_t mounted;           /* Thread.getId of the virtual thread that runs on it; 0: none */
  uint64_t begin;             /* ticks when the agent first saw it, if it could not be described then; or 0 */
  struct stack_end stack_end;
  struct {
    uint64_t begin; /* ticks; 0: none */
    uint64_t code, object;
    uint64_t owner, owner_code; /* of the monitor; 0: unknown */
    uint64_t pinned;            /* code of what pins the virtual thread; or 0 */
  } held;                       /* the open interval, of which nothing is recorded yet: see blocks.h */
  struct noted_call call;       /* the woven call that is about to be made */
  struct virtual_enter enter;
};
extern __thread struct thread_self thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A frame and those that a call of it leads to, at most. */
#define CALL_BYTES 4096u

static inline void call_note(struct noted_call *call, uint64_t place, const void *here)
{
  call->place = place;
  call->at = (uintptr_t)here;
}

/* The place of the call that led `here`; 0: it has no hook. It is forgotten. A call that did not come here, as with a
 * bad argument, is told from others by its address, unless that is near. */
static inline uint64_t call_take(struct noted_call *call, const void *here)
{
  uint64_t place = call->place;
  call->place = 0;
  return call->at - (uintptr_t)here + CALL_BYTES < 2 * CALL_BYTES ? place : 0;
}

/* A hook before a call: it leads to one of our native methods, which wants to know its place. */
static inline void thread_calls(uint64_t place, const void *here)
{
  call_note(&thread_self.call, place, here);
}

/* The place of the call that led to one of our native methods; 0: it has no hook. */
static inline uint64_t thread_take_call(const void *here)
{
  return call_take(&thread_self.call, here);
}

/*
 * Whether a hook of the calling thread may fail with StackOverflowError `here`, at an address on its stack. Nothing
 * that nests is recorded so near to the end of the stack: one of a pair of hooks may fail, and the other not.
 */
static inline bool thread_stack_ends(const void *here)
{
  return stack_end_is_near(&thread_self.stack_end, (uintptr_t)here);
}

#endif
