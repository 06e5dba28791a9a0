/* forks [raw]: functions run in a process and in its child, which goes on inside of one; raw: not of fork, but clone.
 */
#include "tests/programs/calls/own_count.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void f_c(void)
{
  __asm__ volatile("");
}

__attribute__((noinline)) static void f_b(int times)
{
  for (int i = 0; i < times; i++)
    f_c();
}

/* The child's answer is 4. */
__attribute__((noinline)) static int f_a(int raw)
{
  int status = 0;
  f_b(10);
  pid_t child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  f_b(child == 0 ? 5 : 7);
  if (child == 0 && raw)
    _exit(4);
  if (child == 0)
    return 4;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 4 ? 0 : 1;
}

int main(int count, char **arguments)
{
  (void)arguments;
  return f_a(count > 1);
}
