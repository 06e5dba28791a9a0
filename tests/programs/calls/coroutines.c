/*
 * coroutines: functions run by turns on stacks of their own, in two threads; a stack is memory of the heap, mapped
 * memory, or an array of the function that switches to it. Prints the calls of each function.
 */
#include "tests/programs/calls/function.h"
#include "tests/programs/calls/own_count.h"

#include <sys/mman.h>
#include <ucontext.h>

enum { COROUTINES = 6, SWITCHES = 400, SIZE = 64 << 10 };

struct thread {
  ucontext_t main, contexts[COROUTINES];
  unsigned current, finished;
  long sum;
};

static __thread struct thread *self;
static unsigned long calls[2]; /* of f_x, f_y */

FUNCTION static void f_y(void)
{
  __atomic_fetch_add(&calls[1], 1, __ATOMIC_RELAXED);
  self->sum += self->current;
  swapcontext(&self->contexts[self->current], &self->main);
}

FUNCTION static long f_x(unsigned depth)
{
  __atomic_fetch_add(&calls[0], 1, __ATOMIC_RELAXED);
  if (depth > 0) {
    long below = f_x(depth - 1);
    __asm__ volatile("" : "+r"(below)); /* no loop is made of it */
    return below + 1;
  }
  for (int i = 0; i < SWITCHES; i++)
    f_y();
  return 1;
}

static void body(void)
{
  self->sum += f_x(self->current);
  self->finished++;
}

/* Each goes on when it is its turn, from another depth of this stack each time. */
FUNCTION static void go_on(unsigned depth)
{
  volatile char room[48];
  room[0] = 0;
  if (depth > 0)
    go_on(depth - 1);
  else
    swapcontext(&self->main, &self->contexts[self->current]);
  room[1] = room[0];
}

static void run(void)
{
  char near[2][SIZE];
  struct thread thread = {.current = 0};
  self = &thread;
  for (unsigned i = 0; i < COROUTINES; i++) {
    ucontext_t *context = &thread.contexts[i];
    void *stack = i < 2   ? near[i]
                  : i < 4 ? malloc(SIZE)
                          : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = SIZE;
    context->uc_link = &thread.main;
    makecontext(context, body, 0);
  }
  for (unsigned turn = 0; turn < COROUTINES * (SWITCHES + 1); turn++) {
    thread.current = turn % COROUTINES;
    go_on(turn % 7);
  }
  printf("sum %ld, finished %u\n", thread.sum, thread.finished);
}

static void *run_thread(void *unused)
{
  (void)unused;
  run();
  return NULL;
}

int main(void)
{
  pthread_t other;
  run();
  pthread_create(&other, NULL, run_thread, NULL);
  pthread_join(other, NULL);
  printf("f_x %lu\nf_y %lu\n", calls[0], calls[1]);
  return 0;
}
