#include "common/recorder/stack_record.h"

#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/process/text.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

_Static_assert(RAW_STACK_COPY + RAW_STACK_MOST / 8 == 2 + RECORDER_MOST * RAW_EXTRA, "the longest record");
_Static_assert(sizeof(struct stack_registers) == (RAW_STACK_PERIOD - RAW_STACK_REGISTERS) * sizeof(uint64_t),
               "as said");

#define PAGE       4096u
#define PAGES      (RAW_STACK_MOST / PAGE + 2)
#define LEAST_SAME 256u /* bytes; for fewer it is not worth it that the converter looks for them */

/* The kernel reads there before it finds that nothing is to be done. */
static bool is_readable(uintptr_t page)
{
  const unsigned long nothing = ~0u;
  return syscall(SYS_rt_sigprocmask, nothing, page, NULL, sizeof(uint64_t)) != 0 && errno != EFAULT;
}

/*
 * Where the kernel does not copy, as in sandboxes: the page of the stack pointer, which is there, and the readable
 * pages behind it. A page behind the end of the stack, which is not the thread's, may go in the moment between.
 * Sanitizers know places in them that the program must not read.
 */
__attribute__((no_sanitize("address", "thread", "undefined"))) static size_t copy_ourselves(uint64_t *into,
                                                                                            uintptr_t from)
{
  size_t bytes = PAGE - from % PAGE;
  while (bytes < RAW_STACK_MOST && is_readable(from + bytes))
    bytes += PAGE;
  size_t words = (bytes < RAW_STACK_MOST ? bytes : RAW_STACK_MOST) / sizeof *into;
  for (size_t i = 0; i < words; i++)
    into[i] = ((const volatile uint64_t *)from)[i]; /* NOLINT: an address */
  return words * sizeof *into;
}

/* The kernel goes page by page, and stops where it cannot read. No guess about a stack's end, which may be anybody's,
 * can be wrong, and no other thread can take the memory away meanwhile. */
static size_t copy(uint64_t *into, uintptr_t from)
{
  struct iovec to = {into, RAW_STACK_MOST}, pages[PAGES];
  unsigned long count = 0;
  for (size_t done = 0, part; done < RAW_STACK_MOST; done += part) {
    part = PAGE - (from + done) % PAGE;
    part = part < RAW_STACK_MOST - done ? part : RAW_STACK_MOST - done;
    pages[count++] = (struct iovec){(void *)(from + done), part}; /* NOLINT: an address */
  }
  int kept = errno;
  long copied = syscall(SYS_process_vm_readv, getpid(), &to, 1ul, pages, count, 0ul);
  size_t bytes = copied > 0 ? (size_t)copied / sizeof *into * sizeof *into : copy_ourselves(into, from);
  errno = kept;
  return bytes;
}

/* Returns how many bytes of a record's copy the record before it does not have. At its end, both have the same at the
 * same addresses, up to where the other copy ends. */
static size_t bytes_of_its_own(const uint64_t *record, size_t bytes, const uint64_t *other)
{
  uint64_t sp = record[RAW_STACK_REGISTERS + 2], other_sp = other[RAW_STACK_REGISTERS + 2];
  size_t other_bytes = raw_value_of(*other) >> RAW_STACK_BYTES_AT;
  if ((sp ^ other_sp) % sizeof *record != 0 || sp + bytes > other_sp + other_bytes || sp + bytes <= other_sp)
    return bytes;
  size_t own = bytes;
  const uint64_t *end = other + RAW_STACK_COPY + (sp + bytes - other_sp) / sizeof *record;
  while (own > 0 && sp + own > other_sp && record[RAW_STACK_COPY + own / sizeof *record - 1] == end[-1]) {
    own -= sizeof *record;
    end--;
  }
  return bytes - own >= LEAST_SAME ? own : bytes;
}

bool stack_record_put(const struct stack_record *stack)
{
  struct recorder *self = recorder_enter_list(RECORDER_MOST);
  if (!self)
    return false;
  uint64_t *record = self->cursor;
  record[1] = clock_ticks();
  record[RAW_STACK_FROM] = stack->from;
  record[RAW_STACK_TO] = stack->to;
  record[RAW_STACK_REST] = 0;
  __builtin_memcpy(record + RAW_STACK_REGISTERS, &stack->at, sizeof stack->at);
  record[RAW_STACK_PERIOD] = stack->period;
  record[RAW_STACK_PERIOD + 1] = 0;
  size_t bytes = copy(record + RAW_STACK_COPY, stack->at.sp), own = bytes;
  if (self->stack)
    own = bytes_of_its_own(record, bytes, self->stack);
  if (own < bytes)
    record[RAW_STACK_REST] = self->stack[1];
  else
    self->stack = record;
  unsigned words = (unsigned)(RAW_STACK_COPY + own / sizeof *record), elements = (words - 1) / RAW_EXTRA;
  if (2 + elements * RAW_EXTRA > words)
    record[words] = 0;
  recorder_publish(self, 2 + elements * RAW_EXTRA,
                   raw_head(RAW_STACK, elements, (uint64_t)stack->kind | own << RAW_STACK_BYTES_AT));
  RECORDER_NO_TAIL_CALL();
  return true;
}

/* No processor's counter is slower. */
#define SLOWEST_TICKS 8u /* in 10 ns */

atomic_uint_fast64_t wait_stacks_least = UINT64_MAX;

static uint64_t wait_wanted; /* ns; 0: none */

void wait_stacks_begin(uint64_t ns)
{
#if defined(STACK_RECORDS)
  struct clock_anchor now = clock_anchor_take(1);
  clock_learn_rate(&now);
  wait_wanted = ns;
  atomic_store(&wait_stacks_least, ns == 0 ? UINT64_MAX : ns * SLOWEST_TICKS / 10);
#else
  (void)ns;
#endif
}

__attribute__((noinline)) void wait_stacks_take(uint64_t from, uint64_t to)
{
  if (wait_wanted == 0 || from == RECORDER_NO_BASE || from >= to || recording_state() != RECORDING_OPEN ||
      clock_ticks_ns(to - from) < wait_wanted)
    return;
  struct stack_record stack = {.kind = RAW_STACK_WAIT, .from = from, .to = to, .period = wait_wanted};
  stack_registers_here(&stack.at);
  stack_record_put(&stack);
}

#define SECOND 1000000000u

static struct {
  uint64_t ns; /* 0: none */
  int signal;
} wanted;

/* What was lost. */
static struct {
  atomic_uint_fast64_t busy; /* the thread was recording an event */
  atomic_uint_fast64_t
      late; /* the thread used more than a period between two looks of the kernel, or blocked the signal */
  atomic_uint_fast64_t off;      /* nothing was recorded: measurement was off, a limit was reached, ... */
  atomic_uint_fast64_t no_timer; /* threads that got none */
} lost;

static void count(atomic_uint_fast64_t *counter, uint64_t n)
{
  atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static uint64_t own_time(void)
{
  struct timespec now = {0};
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* The next multiple of the period that is still to come; what has passed is lost. */
static void set_next(struct recorder *self)
{
  uint64_t now = own_time(), due = self->sample_due + wanted.ns;
  if (due <= now) {
    uint64_t missed = (now - due) / wanted.ns + 1;
    count(&lost.late, missed);
    due += missed * wanted.ns;
  }
  self->sample_due = due;
  struct itimerspec times = {.it_value = {(time_t)(due / SECOND), (long)(due % SECOND)}};
  syscall(SYS_timer_settime, self->timer - 1, TIMER_ABSTIME, &times, NULL);
}

#if defined(STACK_RECORDS)
static void take(struct recorder *self, const ucontext_t *at)
{
  const greg_t *r = at->uc_mcontext.gregs;
  uint64_t now = clock_ticks();
  struct stack_record stack = {
      .kind = RAW_STACK_TIMER,
      .from = now,
      .to = now,
      .period = wanted.ns,
      .at = {.bx = (uint64_t)r[REG_RBX],
             .bp = (uint64_t)r[REG_RBP],
             .sp = (uint64_t)r[REG_RSP],
             .ip = (uint64_t)r[REG_RIP],
             .r10 = (uint64_t)r[REG_R10],
             .r12 = (uint64_t)r[REG_R12],
             .r13 = (uint64_t)r[REG_R13],
             .r14 = (uint64_t)r[REG_R14],
             .r15 = (uint64_t)r[REG_R15]},
  };
  if (atomic_load_explicit(&self->busy, memory_order_relaxed) != 0)
    count(&lost.busy, 1);
  else if (recording_state() != RECORDING_OPEN || !stack_record_put(&stack))
    count(&lost.off, 1);
}

/* It was nobody's before: the signal does what it does then, once this handler has returned. */
static void pass_on(int number)
{
  struct sigaction ordinary = {.sa_handler = SIG_DFL};
  sigaction(number, &ordinary, NULL);
  raise(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
  int kept = errno;
  struct recorder *self = recorder_self;
  bool known = (uintptr_t)self > (uintptr_t)RECORDER_NONE && self->timer != 0;
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &wanted) {
    pass_on(number);
  } else if (known) {
    take(self, context);
    set_next(self);
  } /* else the thread is about to end, or is in a child that has not recorded yet */
  errno = kept;
}

static int free_signal(void)
{
  struct sigaction now;
  int number = SIGRTMAX;
  while (number >= SIGRTMIN && (sigaction(number, NULL, &now) != 0 || now.sa_handler != SIG_DFL))
    number--;
  return number >= SIGRTMIN ? number : 0;
}

static void begin_timer(struct recorder *self)
{
  static atomic_bool said;
  int id;
  self->timer = 0;
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = wanted.signal, .sigev_value.sival_ptr = &wanted};
  event._sigev_un._tid = gettid();
  if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &id) != 0) {
    count(&lost.no_timer, 1);
    if (diag_first(&said))
      diag_say("no samples of some threads: the system refuses timers: ", diag_reason(errno), NULL);
    return;
  }
  self->sample_due = own_time() / wanted.ns * wanted.ns;
  self->timer = id + 1;
  atomic_signal_fence(memory_order_seq_cst);
  set_next(self);
}

/* The thread's own, or of a recording that lets go of the slot: the thread that takes the number ends the timer. */
static void end_timer(struct recorder *self)
{
  int timer = __atomic_exchange_n(&self->timer, 0, __ATOMIC_ACQ_REL);
  atomic_signal_fence(memory_order_seq_cst);
  if (timer != 0)
    syscall(SYS_timer_delete, timer - 1);
}
#endif

void timer_samples_begin(uint64_t ns)
{
#if defined(STACK_RECORDS)
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER};
  if (ns == 0)
    return;
  uint64_t least = clock_kernel_tick_ns();
  if (wanted.signal == 0)
    wanted.signal = free_signal();
  if (wanted.signal == 0 || sigaction(wanted.signal, &action, NULL) != 0)
    diag_say("no samples: all real-time signals are the program's", NULL);
  else
    wanted.ns = ns > least ? ns : least;
  if (wanted.ns > 0)
    recorder_watch_threads(begin_timer, end_timer);
#else
  (void)ns;
#endif
}

void timer_samples_forked(void)
{
  memset(&lost, 0, sizeof lost);
}

void timer_samples_describe(void)
{
  char bytes[160];
  struct text text = TEXT_OVER(bytes);
  if (wanted.ns == 0)
    return;
  text_add(&text, "timer-samples: ");
  text_add_number(&text, atomic_load(&lost.busy));
  text_add(&text, " ");
  text_add_number(&text, atomic_load(&lost.late));
  text_add(&text, " ");
  text_add_number(&text, atomic_load(&lost.off));
  text_add(&text, " ");
  text_add_number(&text, atomic_load(&lost.no_timer));
  text_add(&text, "\n");
  process_dir_append(bytes, text.used);
}
