/*
 * Futexes by libc's syscall(), as the C++ library makes them: one thread wakes another one that sleeps, with
 * FUTEX_WAKE of one and of all. Other system calls get what they got without the layer: their errors, all six
 * arguments, and a vfork.
 */
#include "tests/programs/pthread/seen.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { TURNS = 20 };

static _Atomic uint32_t word;
static volatile int sleeper;

static long futex(_Atomic uint32_t *at, int operation, uint32_t value, const struct timespec *limit)
{
  return syscall(SYS_futex, at, operation, value, limit, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void *sleeps(void *unused)
{
  (void)unused;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    int operation = turn % 2 ? FUTEX_WAIT_BITSET_PRIVATE : FUTEX_WAIT_PRIVATE;
    sleeper = (int)syscall(SYS_gettid);
    while (atomic_load(&word) == turn)
      futex(&word, operation, turn, NULL);
  }
  return NULL;
}

static void errors(void)
{
  struct timespec soon = {.tv_nsec = 1000000};
  _Atomic uint32_t alone = 1;
  errno = 0;
  MUST(futex(&alone, FUTEX_WAIT_PRIVATE, 0, NULL), -1);
  MUST(errno, EAGAIN);
  MUST(futex(&alone, FUTEX_WAIT_PRIVATE, 1, &soon), -1);
  MUST(errno, ETIMEDOUT);
  MUST(futex(&alone, FUTEX_WAKE_PRIVATE, INT_MAX, NULL), 0);
  MUST(futex((void *)1, FUTEX_WAIT_PRIVATE, 1, NULL), -1);
  MUST(errno, EINVAL);
  MUST(syscall(SYS_close, -1), -1);
  MUST(errno, EBADF);
  MUST(syscall(-1L), -1);
  MUST(errno, ENOSYS);
}

static void six_arguments(void)
{
  FILE *file = tmpfile();
  MUST(file != NULL, 1);
  MUST(ftruncate(fileno(file), 8192), 0);
  MUST(pwrite(fileno(file), "x", 1, 4096), 1);
  char *map = (char *)syscall(SYS_mmap, NULL, 4096L, (long)PROT_READ, (long)MAP_PRIVATE, (long)fileno(file), 4096L);
  MUST(map != MAP_FAILED, 1);
  MUST(*map, 'x');
  MUST(syscall(SYS_munmap, map, 4096L), 0);
  fclose(file);
}

static void child_of_vfork(void)
{
  int status;
  pid_t child = vfork();
  if (child == 0)
    _exit((int)(syscall(SYS_getpid) == getpid() ? 7 : 8));
  MUST(waitpid(child, &status, 0), child);
  MUST(WEXITSTATUS(status), 7);
}

int main(void)
{
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, sleeps, NULL), 0);
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    while (sleeper == 0)
      usleep(100);
    seen_asleep(&sleeper);
    sleeper = 0;
    atomic_store(&word, turn + 1);
    MUST(futex(&word, FUTEX_WAKE_PRIVATE, turn % 2 ? 1 : INT_MAX, NULL), 1);
  }
  pthread_join(thread, NULL);
  errors();
  six_arguments();
  child_of_vfork();
  printf("woken %d\n", TURNS);
  return 3;
}
