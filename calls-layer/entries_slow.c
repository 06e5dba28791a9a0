/* What entries.c leaves to others, and how it begins. */
#include "calls-layer/entries.h"

#if defined(__x86_64__)

#include "calls-layer/hooks.h"
#include "calls-layer/keeping.h"
#include "calls-layer/life.h"
#include "calls-layer/shadow.h"
#include "common/recorder/clock.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARCH_SHSTK_STATUS 0x5005
#define ARCH_SHSTK_SHSTK  1u

__attribute__((visibility("default"))) heddle_returns_1_t heddle_returns_1;

enum entries_state entries_state;

/* Whether the processor has a stack of return addresses of its own, and compares. */
static bool is_protected(void)
{
  unsigned long features = 0;
  return syscall(SYS_arch_prctl, ARCH_SHSTK_STATUS, &features) == 0 && (features & ARCH_SHSTK_SHSTK) != 0;
}

/* Who was called by a jump has the return address of the function that jumped, which is the current one. */
static uintptr_t real(void)
{
  const struct raw_calls_node *node = thread_self->current;
  char *block = node ? shadow_known(node->frame) : NULL;
  return block ? *shadow_place(block, node->frame) : 0;
}

static const struct returns returns = {(uintptr_t)entries_trampoline, real};

const struct returns *heddle_returns_1(void)
{
  return &returns;
}

void entries_begin(bool sampled)
{
  keeping_begin();
  thread_recorder->returns(&returns);
  entries_state = is_protected() ? ENTRIES_PROTECTED : sampled ? ENTRIES_SAMPLED : ENTRIES_ON;
}

/* Says once why nothing is recorded. */
static uintptr_t refuse(uintptr_t a, uintptr_t b)
{
  static atomic_bool said;
  enum entries_state state = entries_state;
  (void)a;
  (void)b;
  entries_state = ENTRIES_OFF;
  if (state != ENTRIES_OFF && !atomic_exchange(&said, true))
    thread_recorder->say(
        state == ENTRIES_PROTECTED
            ? "--calls: the processor protects return addresses (shadow stack): calls of code that was "
              "compiled with -pg -mfentry are not recorded"
            : "--calls: calls of code that was compiled with -pg -mfentry are not recorded with "
              "--sample; use --stack none, or leave one of them out");
  return 0;
}

static uintptr_t begin_thread(uintptr_t a, uintptr_t b)
{
  (void)a;
  (void)b;
  return (uintptr_t)life_begin();
}

/* The calling thread's tree, as hooks_thread() has it. */
static struct calls_thread *thread_of(uintptr_t frame)
{
  const struct calls_thread *self = thread_self;
  if (self == &thread_new || (self != &thread_over && !self->current))
    return (struct calls_thread *)keeping_call(begin_thread, 0, 0);
  return hooks_thread(frame);
}

static uintptr_t make_node(uintptr_t function, uintptr_t site)
{
  return (uintptr_t)tree_call(thread_self, function, site, false);
}

static struct raw_calls_node *node_of(struct calls_thread *self, uintptr_t function, uintptr_t site)
{
  if ((self->current->depth_and_flags >> RAW_CALLS_DEPTH_AT) >= thread_depth)
    return NULL;
  struct raw_calls_node *node = tree_find(self, function, site);
  return node ? node : (struct raw_calls_node *)keeping_call(make_node, function, site);
}

static uintptr_t make_block(uintptr_t frame, uintptr_t unused)
{
  (void)unused;
  return (uintptr_t)shadow_block(frame);
}

static char *block_of(uintptr_t frame)
{
  char *block = frame % sizeof(uintptr_t) == 0 ? shadow_known(frame) : NULL;
  return block ? block : (char *)keeping_call(make_block, frame, 0);
}

/* Whether the hook's caller has r10 on the stack meanwhile: GCC's functions within functions, which need it. */
static bool keeps_r10(uintptr_t at)
{
  const unsigned char *code = (const unsigned char *)at;
  return code[0] == 0x41 && code[1] == 0x5a; /* pop r10 */
}

/* The begin of a function that calls its hook with this return address. */
static uintptr_t function_of(uintptr_t at)
{
  const unsigned char *code = (const unsigned char *)at;
  bool is_long = code[-5] == 0xe8 ? code[-6] == 0x67 : true; /* through a pointer, or what the linker makes of it */
  code -= (is_long ? 6 : 5) + (keeps_r10(at) ? 2 : 0);
  bool is_target = code[-4] == 0xf3 && code[-3] == 0x0f && code[-2] == 0x1e && code[-1] == 0xfa; /* endbr64 */
  return (uintptr_t)code - (is_target ? 4 : 0);
}

/* Where the function that the current one jumps to runs already, in a circle of such jumps: the circle ends. */
static void end_circle(struct calls_thread *self, uintptr_t frame, uintptr_t function, uint64_t now)
{
  const struct raw_calls_node *node = self->current;
  while (node->function != function && node->frame == frame && node->function != 0)
    node = tree_parent(node);
  if (node->function != function || node->frame != frame)
    return;
  for (const struct raw_calls_node *above = tree_parent(node); self->current != above;)
    hooks_end(self, now);
}

/* Ends what was left before a function begins. tail: it is jumped to, by a function whose return is ours. */
static void leave_before(struct calls_thread *self, uintptr_t frame, bool tail, uint64_t now)
{
  for (const struct raw_calls_node *node; (node = self->current)->function != 0; hooks_leave(self, now)) {
    bool is_jumper = tail && node->frame == frame, was_own = node->frame != 0;
    if (was_own && (node->frame > frame || is_jumper))
      return;
  }
}

/* A call that gets no node, nor a return. */
static void count_only(struct calls_thread *self)
{
  if ((self->current->depth_and_flags >> RAW_CALLS_DEPTH_AT) >= thread_depth)
    self->head->deep++;
  else
    self->head->full++;
}

static void call(struct calls_thread *self, uintptr_t *slot, uintptr_t at)
{
  uintptr_t frame = (uintptr_t)slot, function = function_of(at);
  bool tail = *slot == (uintptr_t)entries_trampoline;
  uint64_t now = clock_ticks();
  leave_before(self, frame, tail, now);
  if (tail)
    end_circle(self, frame, function, now);
  char *block = block_of(frame);
  struct raw_calls_node *child = block ? node_of(self, function, tail ? 0 : *slot) : NULL;
  if (!child) {
    count_only(self);
    return;
  }
  self->block = block;
  self->block_number = frame >> SHADOW_BLOCK_BITS;
  child->site = tail ? 0 : *slot;
  child->frame = frame;
  child->at = keeps_r10(at) ? 0 : at; /* 0: the fast path does not know it again */
  if (!tail) {
    entries_exchange(slot, block);
  }
  self->current = child;
  child->begin = thread_traces ? hooks_trace(RAW_CALL_ENTER, function) : clock_ticks();
}

static void enter(uintptr_t *slot, uintptr_t at)
{
  uintptr_t frame = (uintptr_t)slot;
  struct calls_thread *self = thread_of(frame);
  if (!self)
    return;
  if (frame > self->stack_end) { /* on which stack, is not known */
    self->head->skipped++;
    return;
  }
  hooks_begin(self, frame);
  bool within = self->deep != 0 && frame <= self->current->frame;
  if (within) {
    count_only(self);
  } else {
    self->deep = 0;
    call(self, slot, at);
  }
  hooks_settle(self, within || !clock_is_tsc ? 0 : self->current->frame);
}

static void end(uintptr_t *slot)
{
  struct calls_thread *self = thread_self;
  uintptr_t frame = (uintptr_t)slot;
  if (self == &thread_new || !self->current || !(self = hooks_thread(frame)))
    return;
  if (frame > self->stack_end) { /* the call was another thread's */
    self->head->unmatched++;
    return;
  }
  hooks_begin(self, frame);
  uint64_t now = clock_ticks();
  const struct raw_calls_node *node;
  while ((node = self->current)->frame < frame && node->function != 0)
    hooks_leave(self, now);
  if (node->frame != frame)
    self->head->unmatched++;
  else
    self->deep = 0;
  while (self->current->frame == frame)
    hooks_end(self, now);
  hooks_settle(self, self->deep != 0 || !clock_is_tsc ? 0 : self->current->frame);
}

void entries_enter(uintptr_t *slot, uintptr_t at)
{
  if (entries_state != ENTRIES_ON) {
    keeping_call(refuse, 0, 0);
    return;
  }
  enter(slot + keeps_r10(at), at);
}

void entries_return(uintptr_t *slot)
{
  *slot = *shadow_place(shadow_known((uintptr_t)slot), (uintptr_t)slot);
  end(slot);
}

#else

enum entries_state entries_state;

void entries_begin(bool sampled)
{
  (void)sampled;
}

#endif
