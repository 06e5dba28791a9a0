#include "calls-layer/java.h"

#include "calls-layer/hooks.h"
#include "calls-layer/tree.h"
#include "common/recorder/clock.h"

/* The frame of a node that is a Java method: all that runs below it is deeper. */
#define ANY_FRAME UINTPTR_MAX
/* Hooks of one call are nearer to each other, however often the JVM exchanges the method's code meanwhile. */
#define ONE_CALL (64u << 10)

static bool is_java(const struct raw_calls_node *node)
{
  return (node->function & RAW_CODE_PLACE) != 0;
}

static void settle(struct calls_thread *self)
{
  hooks_settle(self, self->deep != 0 || !clock_is_tsc ? 0 : self->current->frame);
}

/* Ends what was left without a report: native functions by a jump, and methods whose report was lost. */
static void end_left(struct calls_thread *self, uintptr_t at)
{
  const struct raw_calls_node *node;
  if (self->lossy != 0 && at > self->lossy + ONE_CALL)
    self->deep = self->lossy = 0;
  while ((node = self->current)->function != 0 && at >= (is_java(node) ? node->at + ONE_CALL : node->frame)) {
    self->deep = 0;
    hooks_leave(self, clock_ticks());
  }
}

/* The thread's tree, all of it true `at` this place. NULL: it has none. To be settled. */
static struct calls_thread *begin_at(uintptr_t at)
{
  struct calls_thread *self = hooks_thread(at);
  if (!self)
    return NULL;
  hooks_begin(self, at);
  end_left(self, at);
  return self;
}

static void count_only(struct calls_thread *self, uint64_t *counter)
{
  ++*counter;
  self->deep++;
}

static void call_slowly(uintptr_t function, uintptr_t at)
{
  struct calls_thread *self = begin_at(at);
  if (!self)
    return;
  bool is_deep = (self->current->depth_and_flags >> RAW_CALLS_DEPTH_AT) >= thread_depth;
  struct raw_calls_node *child = self->deep == 0 ? tree_call(self, function, 0, false) : NULL;
  if (child) {
    child->frame = ANY_FRAME;
    child->at = at;
    self->current = child;
    child->begin = thread_traces ? hooks_trace(RAW_CALL_ENTER, function) : clock_ticks();
  } else {
    count_only(self, is_deep ? &self->head->deep : &self->head->full);
  }
  settle(self);
}

/* Ends what the innermost call of a method has called. False: there is no such call. */
static bool end_below(struct calls_thread *self, uintptr_t function, uint64_t now)
{
  const struct raw_calls_node *it = self->current;
  while (it->function != 0 && it->function != function)
    it = tree_parent(it);
  while (it->function == function && self->current != it)
    hooks_leave(self, now);
  return it->function == function;
}

static void leave_slowly(uintptr_t function, uintptr_t at)
{
  struct calls_thread *self = thread_self;
  if (self == &thread_new || !self->current || !(self = begin_at(at)))
    return;
  if (self->deep != 0) {
    if (--self->deep == 0)
      self->lossy = 0;
    settle(self);
    return;
  }
  uint64_t now = clock_ticks();
  if (end_below(self, function, now))
    hooks_end(self, now);
  else
    self->head->unmatched++;
  settle(self);
}

/* One without a node may be called by one with a node: nothing is known of it. */
static void caught(uint64_t method, uintptr_t at)
{
  struct calls_thread *self = thread_self;
  if (self == &thread_new || !self->current || self->current->function == method - 1 || !(self = begin_at(at)))
    return;
  if (self->deep == 0)
    end_below(self, method - 1, clock_ticks());
  settle(self);
}

/* A node has the number before the place's: converters add 1, as to an address. */
static void call(uint64_t method, uintptr_t at)
{
  struct calls_thread *self = thread_self;
  struct raw_calls_node *child = THREAD_LIKELY(at < self->limit) ? (struct raw_calls_node *)self->current->last : NULL;
  if (THREAD_UNLIKELY(!child || thread_traces || !tree_is(child, method - 1, 0))) {
    call_slowly(method - 1, at);
    return;
  }
  hooks_begin(self, at);
  child->at = at;
  self->current = child;
  child->begin = clock_tsc();
  hooks_settle(self, ANY_FRAME);
}

static void leave(uint64_t method, uintptr_t at)
{
  uint64_t now = clock_tsc();
  struct calls_thread *self = thread_self;
  if (THREAD_UNLIKELY(at >= self->limit || thread_traces || self->current->function != method - 1)) {
    leave_slowly(method - 1, at);
    return;
  }
  hooks_begin(self, at);
  hooks_settle(self, tree_return(self, now)->frame);
}

static void call_at_end(uintptr_t at)
{
  struct calls_thread *self = begin_at(at);
  if (!self)
    return;
  if (self->lossy == 0)
    self->lossy = at;
  count_only(self, &self->head->full);
  settle(self);
}

static void call_on_virtual(void)
{
  struct calls_thread *self = hooks_thread((uintptr_t)__builtin_frame_address(0));
  if (self)
    self->head->on_virtual++;
}

static void begin(void)
{
  if (thread_self == &thread_over)
    thread_self = &thread_new;
}

const struct java_calls java_layer = {call, leave, caught, call_at_end, call_on_virtual, begin};
