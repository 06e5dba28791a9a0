/*
 * The same with the program's own events, which also begin the recording there, and without OpenMP.
 *     ./small_stacks threads KIB      POSIX threads with so much stack
 *     ./small_stacks handler BYTES    a handler on an alternate stack of so many bytes beside the kernel's
 *     ./small_stacks exit KIB         a thread on so much stack ends the process; more would be a fault
 *     ./small_stacks fork KIB         children of fork on so much stack, whose first event is recorded there
 */
#include "tests/programs/program.h"
#include "tests/programs/small_stack.h"
#include "user-events/include/heddle.h"

#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 400 };

static char long_name[1100];

/* Every call there is, with old names and new ones. */
static void tell(int round)
{
  char name[32];
  snprintf(name, sizeof name, "name %d", round % 50);
  heddle_enter(name);
  heddle_phase(long_name);
  heddle_event("told", heddle_integer("round", round), heddle_real("half", round / 2.0));
  heddle_leave(name);
}

static void *tell_often(void *unused)
{
  (void)unused;
  heddle_name_thread("on little stack");
  for (int i = 0; i < ROUNDS; i++)
    tell(i);
  return NULL;
}

static void on_signal(int number)
{
  (void)number;
  for (int i = 0; i < 10; i++)
    tell(i);
}

static bool handler(size_t size)
{
  char *stack = handle_on_small_stack(size, on_signal);
  heddle_enter("main"); /* a handler may report something once the thread has */
  for (int i = 0; i < ROUNDS; i++)
    raise(SIGUSR1);
  heddle_leave("main");
  return is_whole(stack);
}

static void *fork_and_tell(void *unused)
{
  int status = 1;
  heddle_enter("parent");
  pid_t pid = fork();
  if (pid == 0) {
    tell_often(NULL);
    _exit(0);
  }
  waitpid(pid, &status, 0);
  heddle_leave("parent");
  if (status != 0)
    puts("the child died");
  return unused;
}

static void *tell_and_exit(void *unused)
{
  tell_often(unused);
  fflush(stdout);
  exit(finish(true));
}

/* Its end is after all that could look at the stack: what lies below it cannot be written to. */
static bool exits(size_t size)
{
  pthread_t thread;
  pthread_attr_t attributes;
  char *stack = stack_of(size);
  pthread_attr_init(&attributes);
  if (mprotect(stack - WATCHED, WATCHED, PROT_NONE) || pthread_attr_setstack(&attributes, stack, size) ||
      pthread_create(&thread, &attributes, tell_and_exit, NULL))
    abort();
  pthread_join(thread, NULL);
  return false;
}

int main(int count, char **arguments)
{
  const char *way = count > 1 ? arguments[1] : "";
  size_t size = count > 2 ? strtoul(arguments[2], NULL, 10) : 0;
  memset(long_name, '\n', sizeof long_name - 1);
  if (strcmp(way, "threads") == 0)
    return finish(on_small_stacks(THREADS, size * 1024, tell_often));
  if (strcmp(way, "handler") == 0)
    return finish(handler(size));
  if (strcmp(way, "exit") == 0)
    return finish(exits(size * 1024));
  if (strcmp(way, "fork") == 0)
    return finish(on_small_stacks(1, size * 1024, fork_and_tell));
  fputs("Usage: small_stacks threads KIB | handler BYTES | fork KIB | exit KIB\n", stderr);
  return 2;
}
