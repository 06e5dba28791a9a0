/*
 * State of the calling (kernel) thread in the agent; threads.h fills it in.
 *
 * Near the end of a thread's stack a hook can fail with StackOverflowError although the hook before it did not. Then an
 * acquisition would be recorded without its release. Therefore a thread near the end of its stack records the release
 * of all monitors that it holds. It records no acquisition until it is back where it acquired the first of them.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_THREAD_SELF_H
#define HEDDLE_JVMTI_AGENT_CORE_THREAD_SELF_H

#include <stdbool.h>
#include <stdint.h>

struct stack_end {
  uintptr_t zone;   /* addresses below are near the end; 0: unknown yet */
  uintptr_t beyond; /* ~zone, once it is known: one comparison shows that an address is not below */
  uintptr_t silent; /* frames below record nothing; 0: all record */
  uintptr_t first;  /* approximate address of the frame that acquired the first of the held monitors */
  uint32_t holds;   /* recorded acquisitions without a release */
};

enum stack_end_report {
  STACK_END_NOTHING, /* record nothing */
  STACK_END_REPORT,
  STACK_END_RELEASE_ALL /* record that all monitors are released, and nothing else */
};

/* As stack_end_is_near(); first finds the end of the stack if it is unknown. */
bool stack_end_look(struct stack_end *end, uintptr_t here) __attribute__((cold));

/* True if `here`, an address in the caller's frame, is so near to the end that a hook may fail. */
static inline bool stack_end_is_near(struct stack_end *end, uintptr_t here)
{
  return ~here > end->beyond && stack_end_look(end, here);
}

/* Returns what to record about a monitor that was just acquired; `here`: an address in the caller's frame. */
enum stack_end_report stack_end_acquired(struct stack_end *end, uintptr_t here);
/* True if the release of a monitor is to be recorded. */
bool stack_end_released(struct stack_end *end, uintptr_t here);

enum thread_state {
  THREAD_NEW = 0, /* nothing was recorded of it yet */
  THREAD_RECORDS,
  THREAD_SILENT /* it ended, or the options exclude it (internal=off) */
};

/* A woven call that is about to be made, as its hook noted it. */
struct noted_call {
  uint64_t place; /* 0: none */
  uintptr_t at;   /* an address in the hook's frame */
};

/* A virtual thread's wait for a monitor. The carrier lets go of the thread, or keeps it if the thread is pinned. */
struct virtual_enter {
  uint64_t code, object;  /* of the wait that began last */
  uint64_t thread;        /* Thread.getId of the thread that the carrier let go of in such a wait; 0: none */
  const uint64_t *cursor; /* where the recorder was then */
  uint64_t again;         /* ticks at which the carrier was found to keep it, and its wait goes on; 0: it did not */
};

struct thread_self {
  uint8_t state;              /* enum thread_state */
  uint8_t block;              /* enum raw_block of the interval that is open, or 0 */
  uint8_t whole;              /* ... which the budget never omits */
  uint8_t timed_out;          /* the last Object.wait ended so */
  uint8_t asked_for_timeouts; /* the event MonitorWaited is on for it */
  uint8_t owns_recorder;      /* the thread's recorder was attached for Java: nobody else records after it */
  uint8_t enters;             /* its wait for a monitor is one of monitors.c's */
  uint8_t in_omitted;         /* omitted tasks have a stretch (runtimes/task_budget.h), or had one before its wait */
  uint8_t owner_slot;         /* its wait for a monitor in wait_owners.c; 0: none */
  uint16_t io_ready;          /* bits of enum raw_block: the last input or output of that kind did not wait (io.h) */
  int32_t polled;             /* file descriptor + 1 that its virtual thread is about to park for; 0: none */
  uint32_t name_hash;         /* of the name as last recorded */
  uint32_t round;             /* the agent.round to which all of this belongs */
  uint64_t mounted;           /* Thread.getId of the virtual thread that runs on it; 0: none */
  uint64_t begin;             /* ticks when the agent first saw it, if it could not be described then; or 0 */
  struct stack_end stack_end;
  struct {
    uint64_t begin; /* ticks; 0: none */
    uint64_t code, object;
    uint64_t owner, owner_code; /* of the monitor; 0: unknown */
    uint64_t pinned;            /* code of what pins the virtual thread; or 0 */
  } held;                       /* the open interval, if nothing of it is recorded yet (blocks.h) */
  struct noted_call call;       /* the woven call that is about to be made */
  struct virtual_enter enter;
};
extern __thread struct thread_self thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A frame and the frames that a call of it leads to, at most. */
#define CALL_BYTES 4096u

static inline void call_note(struct noted_call *call, uint64_t place, const void *here)
{
  call->place = place;
  call->at = (uintptr_t)here;
}

/* Takes the place of the call that led `here`; 0: the call has no hook. A call that failed earlier, as with a bad
 * argument, is recognized by its address, unless that address is near. */
static inline uint64_t call_take(struct noted_call *call, const void *here)
{
  uint64_t place = call->place;
  call->place = 0;
  return call->at - (uintptr_t)here + CALL_BYTES < 2 * CALL_BYTES ? place : 0;
}

/* Notes a call that leads to one of the agent's native methods. In the hook before the call. */
static inline void thread_calls(uint64_t place, const void *here)
{
  call_note(&thread_self.call, place, here);
}

/* Takes the place of the call that led to one of the agent's native methods; 0: the call has no hook. */
static inline uint64_t thread_take_call(const void *here)
{
  return call_take(&thread_self.call, here);
}

/*
 * True if a hook of the calling thread may fail with StackOverflowError `here`, at an address on its stack. Nothing
 * that nests is recorded there, because one hook of a pair may fail and the other not.
 */
static inline bool thread_stack_ends(const void *here)
{
  return stack_end_is_near(&thread_self.stack_end, (uintptr_t)here);
}

#endif
