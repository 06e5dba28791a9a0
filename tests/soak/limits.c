/* Limits that a process sets itself. What they keep us from writing must be counted, and said. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

static void limit(int what, rlim_t to)
{
  struct rlimit is;
  getrlimit(what, &is);
  is.rlim_cur = to < is.rlim_max ? to : is.rlim_max;
  if (setrlimit(what, &is) != 0)
    say("limit: error %d\n", errno);
  conditions |= IS_BOUND;
  counts_excuse(EXCUSE_SAID);
}

/* A write beyond it is the program's death, unless it asks for an error; one of ours must be neither. */
void act_limit_file_size(struct draw *draw)
{
  static const rlim_t sizes[] = {0, 1, 1 * KIB, 10 * KIB, 30 * KIB, 100 * KIB};
  rlim_t most = sizes[draw_below(draw, 6)];
  emit_events(draw_below(draw, 100));
  limit(RLIMIT_FSIZE, most);
  emit_events(draw_below(draw, 2000));
}

void act_limit_files(struct draw *draw)
{
  rlim_t most = draw_below(draw, 10);
  emit_events(draw_below(draw, 100));
  limit(RLIMIT_NOFILE, most);
  emit_events(draw_below(draw, 2000));
  int file = open("/dev/null", O_RDONLY);
  say("of %u files: descriptor %d\n", (unsigned)most, file);
}

/* Much less than what it takes is left, and the program asks for much more: it fails with us and without. */
static void memory(struct draw *draw, int what)
{
  emit_events(draw_below(draw, 100));
  limit(what, 1 * MIB);
  void *block = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("memory: %s\n", block == MAP_FAILED ? "none" : "some");
  emit_events(draw_below(draw, 2000));
}

void act_limit_memory(struct draw *draw)
{
  memory(draw, RLIMIT_AS);
}

void act_limit_data(struct draw *draw)
{
  memory(draw, RLIMIT_DATA);
}

void act_limit_processes(struct draw *draw)
{
  /* The limit holds for a user: one that nobody else is. */
  if (setuid(62000 + (uid_t)(getpid() % 30000)) != 0)
    say("user: error %d\n", errno);
  become(IS_NO_ROOT);
  limit(RLIMIT_NPROC, 1);
  say("a child: %s\n", fork() < 0 ? "none" : "some");
  emit_events(draw_below(draw, 1000));
}

/* The size of the stacks of what is executed from here on, and of its threads. */
void act_limit_stack(struct draw *draw)
{
  unsigned bound = conditions & IS_BOUND;
  limit(RLIMIT_STACK, (rlim_t)draw_between(draw, 2, 16) * 64 * KIB);
  conditions = (conditions & ~(unsigned)IS_BOUND) | bound;
  emit_events(draw_below(draw, 1000));
}

/* Works until its time is up: SIGXCPU. */
static void takes_its_time(struct draw *draw)
{
  (void)draw;
  struct rlimit second = {1, 2};
  signal(SIGXCPU, SIG_DFL);
  setrlimit(RLIMIT_CPU, &second);
  emit_events(1000);
  for (volatile unsigned long i = 0;; i++)
    if (i % 1000000 == 0)
      emit_event();
}

void act_limit_time(struct draw *draw)
{
  child_does(draw, BY_FORK, "limited time", takes_its_time);
}
