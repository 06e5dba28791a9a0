/* Signals whose handlers record, and jumps out of them. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"
#include "user-events/include/heddle.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_uint handled;

static void emits(int number)
{
  (void)number;
  emit_from_handler();
  atomic_fetch_add(&handled, 1);
}

static void nests(int number)
{
  emit_from_handler();
  if (number == SIGUSR1)
    raise(SIGUSR2);
  emit_from_handler();
  atomic_fetch_add(&handled, 1);
}

static void install(int number, void (*handler)(int), int flags)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static struct {
  atomic_bool ready, stop;
} target;

static void *is_interrupted(void *unused)
{
  emit_event();
  atomic_store(&target.ready, true);
  while (!atomic_load(&target.stop))
    emit_slowly();
  return unused;
}

/* Sends n signals to a thread that emits all the time; each is handled before the next one is sent. */
static void interrupt(void (*handler)(int), unsigned n, unsigned a_signal)
{
  pthread_t thread;
  install(SIGUSR1, handler, 0);
  install(SIGUSR2, handler, 0);
  atomic_store(&target.ready, false);
  atomic_store(&target.stop, false);
  if (!begin_thread(&thread, 0, is_interrupted, NULL))
    return;
  while (!atomic_load(&target.ready))
    sched_yield();
  for (unsigned i = 0; i < n; i++) {
    unsigned before = atomic_load(&handled);
    pthread_kill(thread, SIGUSR1);
    while (atomic_load(&handled) < before + a_signal)
      sched_yield();
  }
  atomic_store(&target.stop, true);
  pthread_join(thread, NULL);
}

void act_handlers(struct draw *draw)
{
  interrupt(emits, draw_between(draw, 5, 60), 1);
}

void act_nested_handlers(struct draw *draw)
{
  interrupt(nests, draw_between(draw, 5, 40), 2);
}

/* A stack for handlers below which nothing may be written: what is there is looked at afterwards. */
void act_altstack(struct draw *draw)
{
  static const size_t sizes[] = {8192, 12288, 16384, 65536};
  enum { GUARD = 65536, PAINT = 0x5a };
  size_t size = sizes[draw_below(draw, 4)];
  char *memory = mmap(NULL, GUARD + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    say("altstack: no memory\n");
    return;
  }
  memset(memory, PAINT, GUARD);
  stack_t stack = {.ss_sp = memory + GUARD, .ss_size = size}, none = {.ss_flags = SS_DISABLE};
  emit_event();
  sigaltstack(&stack, NULL);
  install(SIGUSR1, emits, SA_ONSTACK);
  for (unsigned n = draw_between(draw, 50, 400); n > 0; n--)
    raise(SIGUSR1);
  sigaltstack(&none, NULL);
  size_t i = 0;
  while (i < GUARD && memory[i] == PAINT)
    i++;
  say("altstack of %zu: %s\n", size, i == GUARD ? "nothing below it" : "OVERWRITTEN BELOW IT");
  munmap(memory, GUARD + size);
}

static jmp_buf back;

/* Out of regions that are never left. */
static void jump(unsigned regions)
{
  for (unsigned i = 0; i < regions; i++) {
    counts_begin(ENTERED);
    heddle_enter("not left");
    counts_done(ENTERED);
  }
  emit_event();
  longjmp(back, 1);
}

void act_longjmp(struct draw *draw)
{
  unsigned n = draw_between(draw, 1, 20);
  for (volatile unsigned i = 0; i < n; i++)
    if (setjmp(back) == 0)
      jump(i);
}

static __thread sigjmp_buf anchor;
static __thread volatile sig_atomic_t anchored;
static atomic_uint jumps;

static void leaves(int number)
{
  (void)number;
  if (!anchored)
    return;
  anchored = 0;
  siglongjmp(anchor, 1);
}

/* Emits events until it has been thrown out of that so often: mostly out of the middle of a call of ours. */
static void *is_thrown_out(void *n)
{
  volatile unsigned left = (unsigned)(uintptr_t)n;
  emit_event();
  while (left > 0) {
    if (sigsetjmp(anchor, 1) == 0) {
      anchored = 1;
      for (;;)
        emit_slowly();
    }
    left--;
    atomic_fetch_add(&jumps, 1);
  }
  anchored = 0;
  /* What comes after must be in the trace again. */
  emit_events(500);
  return NULL;
}

void act_siglongjmp(struct draw *draw)
{
  unsigned n = draw_between(draw, 1, 20);
  pthread_t thread;
  install(SIGUSR1, leaves, 0);
  atomic_store(&jumps, 0);
  if (!begin_thread(&thread, 0, is_thrown_out, (void *)(uintptr_t)n))
    return;
  while (atomic_load(&jumps) < n) {
    pthread_kill(thread, SIGUSR1);
    usleep(60);
  }
  pthread_join(thread, NULL);
}

static sigjmp_buf behind_fault;

static void recovers(int number)
{
  (void)number;
  emit_from_handler();
  siglongjmp(behind_fault, 1);
}

void act_fault(struct draw *draw)
{
  static volatile int *volatile nowhere;
  unsigned n = draw_between(draw, 1, 50);
  emit_event();
  install(SIGSEGV, recovers, 0);
  for (volatile unsigned i = 0; i < n; i++)
    if (sigsetjmp(behind_fault, 1) == 0)
      *nowhere = 1;
    else
      emit_event();
  signal(SIGSEGV, SIG_DFL);
}

/* The handler may come on any thread, and in the middle of everything that happens meanwhile. */
void act_timer(struct draw *draw)
{
  suseconds_t period = draw_between(draw, 200, 1000);
  struct itimerval often = {{0, period}, {0, period}}, never = {{0, 0}, {0, 0}};
  emit_event();
  install(SIGALRM, emits, 0);
  setitimer(ITIMER_REAL, &often, NULL);
  unsigned until = atomic_load(&handled) + 10;
  while (atomic_load(&handled) < until)
    emit_slowly();
  setitimer(ITIMER_REAL, &never, NULL);
}
