#include "calls-layer/hooks.h"
#include "calls-layer/keep_registers.h"
#include "calls-layer/tree.h"
#include "common/recorder/clock.h"

struct hook {
  uintptr_t function, site, frame, at;
};

/* After a slow path: limit as hooks_settle() has it, where the fast one can be taken. */
static void settle(struct calls_thread *self, uintptr_t limit)
{
  hooks_settle(self, clock_is_tsc ? limit : 0);
}

/* True if a hook runs in a signal handler that interrupted the working hook. False: a jump ended that one. */
static bool interrupts(const struct calls_thread *self, uintptr_t frame)
{
  bool is_own = frame <= self->stack_end, was_own = self->busy <= self->stack_end;
  return is_own == was_own ? frame < self->busy : !is_own;
}

struct calls_thread *hooks_thread(uintptr_t frame)
{
  struct calls_thread *self = thread_self;
  if (!thread_recorder || self == &thread_over)
    return NULL;
  if (self == &thread_new || !self->current) /* the latter: a child of fork, in which it was wiped */
    return life_begin();
  if (self->busy != 0 && interrupts(self, frame)) {
    self->head->not_measured++;
    return NULL;
  }
  self->busy = 0;
  return self;
}

static uintptr_t trace(uintptr_t kind, uintptr_t function)
{
  return thread_recorder->trace((unsigned)kind, function);
}

uint64_t hooks_trace_slowly(unsigned kind, uintptr_t function)
{
  return keep_registers_call(trace, kind, function);
}

void hooks_end(struct calls_thread *self, uint64_t now)
{
  if (thread_traces)
    now = hooks_trace(RAW_CALL_LEAVE, self->current->function);
  tree_return(self, now);
}

void hooks_leave(struct calls_thread *self, uint64_t now)
{
  self->head->left++;
  hooks_end(self, now);
}

#define PROLOGUE 4096u /* the most code of a function before its hook */

/* True if a hook is in its function's own code, and not in the code of `outer`, which has the function inlined. Where a
 * jump left outer, a call by a pointer in the same place has the same stack pointer and return address. */
static bool is_in_own_code(const struct hook *hook, const struct raw_calls_node *outer)
{
  return hook->at > hook->function && hook->at - hook->function <= PROLOGUE &&
         (hook->at < outer->function || hook->function > outer->function);
}

/* Ends what was left before a function is called at `hook`. Whether it is part of the current function's code. */
static bool leave_before(struct calls_thread *self, const struct hook *hook, uint64_t now)
{
  bool is_own = hook->frame <= self->stack_end;
  for (const struct raw_calls_node *node; (node = self->current)->function != 0; hooks_leave(self, now)) {
    bool was_own = node->frame != 0;
    if (!is_own)
      return false;
    if (was_own && node->frame == hook->frame && node->site == hook->site && node->at != hook->at &&
        !is_in_own_code(hook, node))
      return true;
    if (was_own && node->frame > hook->frame)
      return false;
  }
  return false;
}

/* A call that gets no node: nor do the calls that it makes. */
static void count_only(struct calls_thread *self)
{
  if ((self->current->depth_and_flags >> RAW_CALLS_DEPTH_AT) >= thread_depth)
    self->head->deep++;
  else
    self->head->full++;
  self->deep++;
  settle(self, 0);
}

static void enter(const struct hook *hook)
{
  struct calls_thread *self = hooks_thread(hook->frame);
  if (!self)
    return;
  hooks_begin(self, hook->frame);
  if (self->deep != 0 && hook->frame <= self->current->frame) {
    count_only(self);
    return;
  }
  self->deep = 0;
  bool inlined = leave_before(self, hook, clock_ticks());
  struct raw_calls_node *child = tree_call(self, hook->function, hook->site, inlined);
  if (!child) {
    count_only(self);
    return;
  }
  uintptr_t frame = hook->frame <= self->stack_end ? hook->frame : 0;
  child->site = hook->site;
  child->frame = frame;
  child->at = hook->at;
  self->current = child;
  child->begin = thread_traces ? hooks_trace(RAW_CALL_ENTER, hook->function) : clock_ticks();
  settle(self, frame);
}

/* True if the function that returns has no node, and is below the current one. */
static bool is_deep(const struct calls_thread *self, const struct hook *hook)
{
  const struct raw_calls_node *node = self->current;
  if (self->deep == 0)
    return false;
  return hook->at == hook->site ? hook->frame <= node->frame
                                : hook->frame < node->frame || hook->function != node->function;
}

/* Ends what was left before a function returns at `hook`. */
static void leave_below(struct calls_thread *self, const struct hook *hook, uint64_t now)
{
  bool is_own = hook->frame <= self->stack_end, tail = hook->at == hook->site;
  for (const struct raw_calls_node *node; (node = self->current)->function != 0; hooks_leave(self, now)) {
    bool is_below = node->frame == 0 ? is_own : is_own && node->frame < hook->frame;
    bool is_it = tail && node->function == hook->function && tree_parent(node)->frame >= hook->frame;
    if (!is_below || is_it)
      return;
  }
}

static void return_from(const struct hook *hook)
{
  struct calls_thread *self = thread_self;
  if (self == &thread_new || !self->current || !(self = hooks_thread(hook->frame)))
    return;
  hooks_begin(self, hook->frame);
  if (is_deep(self, hook)) {
    settle(self, --self->deep == 0 ? self->current->frame : 0);
    return;
  }
  uint64_t now = clock_ticks();
  self->deep = 0;
  leave_below(self, hook, now);
  const struct raw_calls_node *node = self->current, *it = node;
  while (it->function != 0 && it->function != hook->function && it->frame == node->frame)
    it = tree_parent(it);
  if (it->function == hook->function && it->function != 0) {
    while (self->current != it)
      hooks_leave(self, now);
    hooks_end(self, now);
  } else {
    self->head->unmatched++;
  }
  settle(self, self->current->frame);
}

void hooks_enter_slowly(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at)
{
  enter(&(struct hook){function, site, frame, at});
}

void hooks_leave_slowly(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at)
{
  return_from(&(struct hook){function, site, frame, at});
}
