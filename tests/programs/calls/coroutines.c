/*
 * coroutines: functions run by turns on stacks of their own, in two threads. A stack is memory of the heap, mapped
 * memory, or an array of the function that switches to it. Others begin in one thread and go on in the next one. Prints
 * the calls of each function.
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
static unsigned long calls[2]; /* calls of f_x, f_y */

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

static void begin(unsigned number, void *stack)
{
  ucontext_t *context = &self->contexts[number];
  getcontext(context);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = SIZE;
  context->uc_link = &self->main;
  makecontext(context, body, 0);
}

static void go_on_in_turn(unsigned from, unsigned to)
{
  for (unsigned turn = from; turn < to; turn++) {
    self->current = turn % COROUTINES;
    go_on(turn % 7);
  }
}

static void run(void)
{
  char near[2][SIZE];
  struct thread thread = {.current = 0};
  self = &thread;
  for (unsigned i = 0; i < COROUTINES; i++)
    begin(i, i < 2   ? near[i]
             : i < 4 ? malloc(SIZE)
                     : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  go_on_in_turn(0, COROUTINES * (SWITCHES + 1));
  printf("sum %ld, finished %u\n", thread.sum, thread.finished);
}

static struct thread wandering;

/* Each of four threads takes a quarter of the turns. */
static void *run_quarter(void *quarter)
{
  unsigned all = COROUTINES * (SWITCHES + 1), number = (unsigned)(long)quarter;
  self = &wandering;
  for (unsigned i = 0; i < COROUTINES && number == 0; i++)
    begin(i, malloc(SIZE));
  go_on_in_turn(all * number / 4, all * (number + 1) / 4);
  return NULL;
}

static void wander(void)
{
  pthread_t thread;
  for (long i = 0; i < 4; i++) {
    pthread_create(&thread, NULL, run_quarter, (void *)i);
    pthread_join(thread, NULL);
  }
  printf("sum %ld, finished %u\n", wandering.sum, wandering.finished);
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
  wander();
  printf("f_x %lu\nf_y %lu\n", calls[0], calls[1]);
  return 0;
}
