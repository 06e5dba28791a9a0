/* The hook of -pg -mfentry and the returns of functions: quick paths, slow paths, and wrapped stack traces. */
#include "calls-layer/entries.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

/*
 * Quick paths: the compiler's -pg -mfentry calls the first one at a function's begin, the trampoline the second one at
 * its end. They use no vector register (-mgeneral-regs-only) and change no other one.
 */

#if defined(__x86_64__)

#include "calls-layer/filter.h"
#include "calls-layer/hooks.h"
#include "calls-layer/shadow.h"
#include "common/recorder/clock.h"

#define INLINE __attribute__((always_inline)) static inline
#define KEEPS  __attribute__((no_caller_saved_registers))

__attribute__((visibility("default"))) KEEPS void __fentry__(void);

/* At the end of each function that changes no register: clang makes a jump of its last call, and restores registers
 * before, also the arguments. */
#define NO_JUMP() __asm__ volatile("")

/* Apart, so that where nothing is new, filtered or traced the hooks save few registers. */
#define APART __attribute__((noinline)) KEEPS static

APART void enter_slowly(uintptr_t *slot, uintptr_t at)
{
  entries_enter(slot, at);
  NO_JUMP();
}

APART void return_slowly(uintptr_t *slot)
{
  entries_return(slot);
  NO_JUMP();
}

/* As hooks_begin(), where the thread's block belongs to the frame; else false. A handler on a stack of its own leaves
 * another block, but no handler that begins after hooks_begin() does. So the block is looked at after it. */
INLINE bool begin_near(struct calls_thread *self, uintptr_t frame)
{
  hooks_begin(self, frame);
  if (THREAD_LIKELY(self->block_number == frame >> SHADOW_BLOCK_BITS))
    return true;
  hooks_settle(self, self->current->frame);
  return false;
}

INLINE void enter(uintptr_t *slot, uintptr_t at, bool traced)
{
  struct calls_thread *self = thread_self;
  uintptr_t frame = (uintptr_t)slot, site = *slot;
  if (THREAD_LIKELY(frame < self->limit)) {
    struct raw_calls_node *child = (struct raw_calls_node *)self->current->last;
    if (THREAD_LIKELY(child->at == at && (child->site == site || child->depth_and_flags & RAW_CALLS_ANY_SITE) &&
                      site != (uintptr_t)entries_trampoline && begin_near(self, frame))) {
      child->site = site;
      child->frame = frame;
      entries_exchange(slot, self->block);
      self->current = child;
      child->begin = traced ? hooks_trace(RAW_CALL_ENTER, child->function) : clock_tsc();
      hooks_settle(self, frame);
      return;
    }
  }
  if (self != &thread_over)
    enter_slowly(slot, at);
}

APART void enter_if_taken(uintptr_t *slot, uintptr_t at)
{
  if (!filter_is_on() || filter_takes(at - 1)) {
    if (thread_traces)
      enter(slot, at, true);
    else
      enter(slot, at, false);
  }
  NO_JUMP();
}

void __fentry__(void)
{
  uintptr_t *slot = (uintptr_t *)THREAD_FRAME(), at = (uintptr_t)__builtin_return_address(0);
  if (THREAD_LIKELY(entries_state == ENTRIES_ON && !hooks_look_closer))
    enter(slot, at, false);
  else if (entries_state == ENTRIES_ON)
    enter_if_taken(slot, at);
  else if (entries_state != ENTRIES_OFF)
    enter_slowly(slot, at);
  NO_JUMP();
}

INLINE void end(uintptr_t *slot, uint64_t now, bool traced)
{
  struct calls_thread *self = thread_self;
  uintptr_t frame = (uintptr_t)slot;
  if (THREAD_LIKELY(self->limit == frame && tree_parent(self->current)->frame != frame && begin_near(self, frame))) {
    *slot = *shadow_place(self->block, frame);
    if (traced)
      now = hooks_trace(RAW_CALL_LEAVE, self->current->function);
    hooks_settle(self, tree_return(self, now)->frame);
    return;
  }
  return_slowly(slot);
}

APART void end_traced(uintptr_t *slot)
{
  end(slot, 0, true);
  NO_JUMP();
}

void entries_returned(void)
{
  uint64_t now = clock_tsc();
  uintptr_t *slot = (uintptr_t *)THREAD_FRAME();
  if (THREAD_UNLIKELY(thread_traces))
    end_traced(slot);
  else
    end(slot, now, false);
  NO_JUMP();
}

#endif

#if defined(__x86_64__)

#include "calls-layer/hooks.h"
#include "calls-layer/keep_registers.h"
#include "calls-layer/shadow.h"
#include "calls-layer/tree.h"
#include "common/recorder/clock.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARCH_SHSTK_STATUS 0x5005
#define ARCH_SHSTK_SHSTK  1u

__attribute__((visibility("default"))) heddle_returns_1_t heddle_returns_1;

enum entries_state entries_state;

/* True if the processor checks return addresses by a shadow stack. */
static bool is_protected(void)
{
  unsigned long features = 0;
  return syscall(SYS_arch_prctl, ARCH_SHSTK_STATUS, &features) == 0 && (features & ARCH_SHSTK_SHSTK) != 0;
}

/* A function reached by a jump has the return address of the function that jumped, which is the current one. */
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
  keep_registers_begin();
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
              "--sample; use --stack none, or one of the two options");
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
    return (struct calls_thread *)keep_registers_call(begin_thread, 0, 0);
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
  return node ? node : (struct raw_calls_node *)keep_registers_call(make_node, function, site);
}

static uintptr_t make_block(uintptr_t frame, uintptr_t unused)
{
  (void)unused;
  return (uintptr_t)shadow_block(frame);
}

static char *block_of(uintptr_t frame)
{
  char *block = frame % sizeof(uintptr_t) == 0 ? shadow_known(frame) : NULL;
  return block ? block : (char *)keep_registers_call(make_block, frame, 0);
}

/* True if the hook's caller has r10 on the stack meanwhile: GCC's functions within functions, which need it. */
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

/* Ends a circle of jumps: the function to which the current one jumps runs already. */
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

static void call_slowly(uintptr_t *slot, uintptr_t at)
{
  uintptr_t frame = (uintptr_t)slot;
  struct calls_thread *self = thread_of(frame);
  if (!self)
    return;
  if (frame > self->stack_end) { /* on which stack, is not known */
    self->head->not_measured++;
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

static void end_slowly(uintptr_t *slot)
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
    keep_registers_call(refuse, 0, 0);
    return;
  }
  call_slowly(slot + keeps_r10(at), at);
}

void entries_return(uintptr_t *slot)
{
  *slot = *shadow_place(shadow_known((uintptr_t)slot), (uintptr_t)slot);
  end_slowly(slot);
}

#else

enum entries_state entries_state;

void entries_begin(bool sampled)
{
  (void)sampled;
}

#endif

/*
 * Stack traces that the program takes of itself: without the trampoline, which unwinders see between a function and its
 * caller. All else is the next library's.
 */

#define STANDS_BEFORE __attribute__((visibility("default"), noinline))

typedef int backtrace_t(void **buffer, int size);
typedef _Unwind_Reason_Code unwind_backtrace_t(_Unwind_Trace_Fn function, void *argument);
typedef _Unwind_Ptr unwind_get_ip_t(struct _Unwind_Context *context);

backtrace_t backtrace;

static backtrace_t *next_backtrace;
static void *_Atomic next_unwind_backtrace, *_Atomic next_get_ip;

__attribute__((constructor(101))) static void find(void)
{
  next_backtrace = (backtrace_t *)dlsym(RTLD_NEXT, "backtrace");
}

/* A function of libgcc_s, which the program may have loaded where only its libraries find it. */
static void *unwinder(const char *name, void *_Atomic *kept)
{
  void *function = atomic_load(kept), *library;
  if (function)
    return function;
  function = dlsym(RTLD_NEXT, name);
  if (!function && (library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD))) {
    function = dlsym(library, name);
    dlclose(library);
  }
  atomic_store(kept, function);
  return function;
}

/* Takes out what is ours: the first frame, and trampolines. `from` has n addresses; returns how many remain, at most
 * `most`. */
static int sift(void **to, int most, void *const *from, int n)
{
  int kept = 0;
  for (int i = 1; i < n && kept < most; i++)
    if (from[i] != (const void *)entries_trampoline)
      to[kept++] = from[i];
  return kept;
}

STANDS_BEFORE int backtrace(void **buffer, int size)
{
  if (!next_backtrace || size <= 0)
    return 0;
  int most = size < 1 << 20 ? 2 * size + 2 : size;
  size_t bytes = (size_t)most * sizeof *buffer;
  void **all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return sift(buffer, size, buffer, next_backtrace(buffer, size));
  int n = sift(buffer, size, all, next_backtrace(all, most));
  munmap(all, bytes);
  return n;
}

struct filtered {
  _Unwind_Trace_Fn function;
  void *argument;
  unwind_get_ip_t *get_ip;
  bool after_first;
};

static _Unwind_Reason_Code filter(struct _Unwind_Context *context, void *argument)
{
  struct filtered *filtered = argument;
  bool is_ours = !filtered->after_first || filtered->get_ip(context) == (_Unwind_Ptr)entries_trampoline;
  filtered->after_first = true;
  return is_ours ? _URC_NO_REASON : filtered->function(context, filtered->argument);
}

STANDS_BEFORE _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn function, void *argument)
{
  unwind_backtrace_t *next = (unwind_backtrace_t *)unwinder("_Unwind_Backtrace", &next_unwind_backtrace);
  struct filtered filtered = {function, argument, (unwind_get_ip_t *)unwinder("_Unwind_GetIP", &next_get_ip), false};
  if (!next || !filtered.get_ip)
    return _URC_END_OF_STACK;
  _Unwind_Reason_Code result = next(filter, &filtered);
  __asm__ volatile(""); /* else this frame would not be the first */
  return result;
}
