#include "tests/soak/counts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct counts *counts;
struct process_counts *mine;

static uid_t owner;         /* whose run it is */
static _Atomic long ending; /* id of the thread that ends this process; 0: none does */

bool counts_open(void)
{
  const char *path = getenv("SOAK_COUNTS");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0)
    return false;
  void *map = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  struct stat is;
  owner = fstat(file, &is) == 0 ? is.st_uid : 0;
  close(file);
  if (map == MAP_FAILED)
    return false;
  counts = map;
  counts_new_process();
  return true;
}

void counts_new_process(void)
{
  int64_t number = atomic_fetch_add(&counts->processes, 1);
  if (number >= MOST_PROCESSES)
    _exit(100);
  int64_t inherited = mine ? atomic_load(&mine->excuses) & EXCUSE_MUTE : 0;
  mine = &counts->process[number];
  atomic_store(&mine->excuses, inherited);
  atomic_store(&mine->pid, syscall(SYS_getpid));
  atomic_store(&ending, 0);
  if (geteuid() != owner)
    counts_excuse(EXCUSE_NO_TRACE | EXCUSE_IN_MEMORY);
}

void counts_ending(void)
{
  atomic_store(&ending, syscall(SYS_gettid));
}

void counts_exited(int64_t pid)
{
  int64_t n = atomic_load(&counts->processes);
  for (int64_t i = 0; i < n && i < MOST_PROCESSES; i++)
    if (atomic_load(&counts->process[i].pid) == pid)
      atomic_store(&counts->process[i].exited, 1);
}

void counts_excuse(enum excuse excuse)
{
  atomic_fetch_or(&mine->excuses, excuse);
}

int64_t counts_begin(enum counted what)
{
  return atomic_fetch_add(&mine->begun[what], 1) + 1;
}

void counts_became_another_user(void)
{
  if (atomic_load(&mine->begun[EVENT]) == 0)
    counts_excuse(EXCUSE_NO_TRACE);
}

void counts_done(enum counted what)
{
  long by = atomic_load(&ending);
  if (by == 0 || by == syscall(SYS_gettid))
    atomic_fetch_add(&mine->done[what], 1);
}

void counts_done_by_handler(enum counted what)
{
  if (atomic_load(&ending) == 0)
    atomic_fetch_add(&mine->done[what], 1);
}

int64_t counts_process(void)
{
  return mine - counts->process;
}
