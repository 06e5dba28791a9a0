#include "common/recorder/timer_samples.h"

#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/process/text.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"
#include "common/recorder/stack_record.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

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

/* The thread's own, or of a recording that lets go of the slot: whoever takes the number ends the timer. */
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
