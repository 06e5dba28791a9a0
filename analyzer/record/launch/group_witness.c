#include "analyzer/record/launch/group_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIGNALS_MOST  65
#define LOOKS_ALONE   100  /* at a signal that the witness does not have: the kernel gives it to one after the other */
#define LOOKS_MOST    2000 /* at one that it has, until it runs */
#define RECEIPTS_MOST 16
#define TURN_NS       500000
#define OLD_NS                                                                                                         \
  5000000000u /* a receipt before that belongs to a signal before, which was not seen to be the group's                \
               */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define DESCRIPTORS_MOST 1024

/* Receipts of a signal, in memory of both processes. */
struct received {
  atomic_uint count;
  _Atomic uint64_t ns[RECEIPTS_MOST]; /* CLOCK_MONOTONIC of the newest ones */
};

static struct {
  pid_t pid;
  int status;                   /* /proc/<pid>/status */
  struct received *received;    /* by number */
  unsigned known[SIGNALS_MOST]; /* receipts that signals to this process are the same as */
} witness = {.pid = -1, .status = -1};

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* It keeps no pipe open whose end somebody waits for. */
static void close_all(void)
{
  if (syscall(SYS_close_range, 0, ~0u, 0) == 0)
    return;
  for (int fd = 0; fd < DESCRIPTORS_MOST; fd++) /* Linux before 5.9 */
    close(fd);
}

static void receive(const sigset_t *set, pid_t parent)
{
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  close_all();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == parent) {
    int number = sigwaitinfo(set, NULL);
    if (number <= 0 || number >= SIGNALS_MOST)
      continue;
    struct received *received = &witness.received[number];
    unsigned count = atomic_load(&received->count);
    atomic_store(&received->ns[count % RECEIPTS_MOST], now_ns());
    atomic_store(&received->count, count + 1);
  }
  _exit(0);
}

void group_witness_begin(const int *signals, unsigned count)
{
  sigset_t set;
  char path[64];
  pid_t parent = getpid();
  void *memory =
      mmap(NULL, SIGNALS_MOST * sizeof *witness.received, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  sigemptyset(&set);
  for (unsigned i = 0; i < count; i++)
    sigaddset(&set, signals[i]);
  witness.received = memory;
  memset(witness.known, 0, sizeof witness.known);
  witness.pid = fork();
  if (witness.pid == 0)
    receive(&set, parent);
  snprintf(path, sizeof path, "/proc/%d/status", (int)witness.pid);
  witness.status = witness.pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* True if the signal is on its way to the witness, which has not run since. */
static bool is_pending(int number)
{
  static const char mark[] = "\nShdPnd:\t";
  char text[4096];
  ssize_t got = pread(witness.status, text, sizeof text - 1, 0);
  text[got > 0 ? got : 0] = '\0';
  const char *at = strstr(text, mark);
  return at && strtoull(at + sizeof mark - 1, NULL, 16) >> (number - 1) & 1;
}

/*
 * Receipts before the handler's begin belong to its signal, or to others that were one with it. The first one after it
 * does, too: the next ones are of signals that come to the handler later.
 */
static bool take_receipts(int number, uint64_t begin)
{
  struct received *received = &witness.received[number];
  unsigned count = atomic_load(&received->count), *known = &witness.known[number];
  bool found = false;
  if (count - *known > RECEIPTS_MOST)
    *known = count - RECEIPTS_MOST;
  for (; *known != count; ++*known) {
    uint64_t ns = atomic_load(&received->ns[*known % RECEIPTS_MOST]);
    if (found && ns > begin)
      break;
    found |= ns + OLD_NS > begin;
  }
  return found;
}

bool group_witness_saw(int number)
{
  if (witness.pid <= 0 || witness.status < 0 || number >= SIGNALS_MOST)
    return false;
  bool pending = false;
  uint64_t begin = now_ns();
  for (unsigned look = 0; look < (pending ? LOOKS_MOST : LOOKS_ALONE); look++) {
    pending = pending || is_pending(number);
    if (take_receipts(number, begin))
      return true;
    nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
  }
  return pending;
}

void group_witness_end(void)
{
  pid_t pid = witness.pid;
  witness.pid = -1;
  if (pid > 0) {
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
      continue;
  }
  if (witness.status >= 0)
    close(witness.status);
  witness.status = -1;
  if (witness.received)
    munmap(witness.received, SIGNALS_MOST * sizeof *witness.received);
  witness.received = NULL;
}
