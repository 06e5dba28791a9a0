#include "base/large_stack.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define LOWEST     (1u << 20)
#define STACK_SIZE (8u << 20)
#define GUARD      4096u

static struct {
  int (*function)(int, char **);
  int count, status;
  char **arguments;
} call;

static void run(void)
{
  call.status = call.function(call.count, call.arguments);
}

int large_stack_run(int (*function)(int, char **), int count, char **arguments)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LOWEST)
    return function(count, arguments);
  char *stack = mmap(NULL, GUARD + STACK_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED)
    return -1;
  mprotect(stack, GUARD, PROT_NONE);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  static ucontext_t before, inside;
  getcontext(&inside);
  inside.uc_stack = (stack_t){.ss_sp = stack + GUARD, .ss_size = STACK_SIZE};
  inside.uc_link = &before;
  call.function = function;
  call.count = count;
  call.arguments = arguments;
  makecontext(&inside, run, 0);
  swapcontext(&before, &inside);
  return call.status;
}
