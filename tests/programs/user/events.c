/*
 * Reports to Heddle about itself, in the way that its argument names; tests/end-to-end/user_events.py knows what must
 * come of it. What it prints does not depend on whether anybody listens.
 */
#include "user-events/include/heddle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static double square(double x)
{
  return x * x;
}

/* Before main, in a program that has not called OpenMP so far. */
__attribute__((constructor)) static void begin_early(void)
{
  if (getenv("EVENTS_EARLY"))
    heddle_event("early");
}

static int sequence(void)
{
  heddle_name_thread("conductor");
  heddle_phase("set-up");
  heddle_enter("whole");
  heddle_event("start");
  heddle_event("numbers", heddle_integer("smallest", INT64_MIN), heddle_integer("minus", -1), heddle_real("pi", 3.25),
               heddle_real("square", square(1.5)));
  heddle_phase("work");
#pragma omp parallel num_threads(2)
  {
    char name[] = "part 0"; /* the same memory with another name */
    for (int i = 0; i < 2; i++) {
      name[5] = (char)('0' + i);
      heddle_enter(name);
#pragma omp barrier
      heddle_event("member", heddle_integer("thread", omp_get_thread_num()));
      heddle_leave(name);
    }
  }
  heddle_leave("whole");
  heddle_phase(NULL);
  return 0;
}

/* Not one call of OpenMP. */
static int serial(void)
{
  heddle_enter("serial");
  heddle_leave("serial");
  return 0;
}

static int unbalanced(void)
{
  heddle_leave("nothing");
  heddle_enter("outer");
  heddle_enter("inner");
  heddle_leave("outer");
  heddle_leave("inner");
  heddle_enter("around");
#pragma omp parallel num_threads(2)
  {
    heddle_leave("around");
    heddle_enter("inside");
#pragma omp barrier
  }
  heddle_leave("around");
  heddle_enter("open");
  return 0;
}

static int hostile(void)
{
  static char large[10000];
  memset(large, 'x', sizeof large - 1);
  static const char *const names[] = {"<script>alert(1)</script>",
                                      large,
                                      "\xff\xfe not UTF-8",
                                      "new\nline\t\x1b[31m",
                                      "",
                                      "a,\"b\";c",
                                      "name: 1 no",
                                      "\\x41",
                                      " spaces  ",
                                      "\xf0\x9f\x8c\x8d"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    heddle_enter(names[i]);
    heddle_event(names[i], heddle_integer(names[i], (int64_t)i));
    heddle_leave(names[i]);
  }
  heddle_enter(NULL);
  heddle_leave(NULL);
  heddle_name_thread(large);
  return 0;
}

static int many(void)
{
  char name[32];
  for (int i = 0; i < 100000; i++) {
    snprintf(name, sizeof name, "name %d", i);
    heddle_enter(name);
    heddle_leave(name);
  }
  return 0;
}

/* Names at one address, which differ in one byte; regions that are not left; more names than a budget has rows for. */
static int reused(void)
{
  static char name[1001];
  memset(name, 'x', sizeof name - 1);
  for (int i = 0; i < 6000; i++) {
    char *begin = i % 2 ? name : name + sizeof name - 8;
    name[sizeof name - 2] = (char)('0' + i % 3);
    heddle_enter("round");
    heddle_enter(begin);
    heddle_event(begin);
    heddle_leave("round");
  }
  for (int i = 0; i < 30000; i++) {
    snprintf(name, sizeof name, "one of many %d", i % 10000);
    heddle_event(name);
  }
  return 0;
}

static int attributes(void)
{
  static char names[300][8];
  struct heddle_attribute list[300];
  for (int i = 0; i < 300; i++) {
    snprintf(names[i], sizeof names[i], "a%d", i);
    list[i] = i % 2 ? heddle_real(names[i], i + 0.5) : heddle_integer(names[i], i);
  }
  heddle_event_n("all", 300, list);
  heddle_event_n("none", 0, NULL);
  heddle_event("twice", heddle_integer("same", 1), heddle_integer("same", 2), heddle_real("same", 3));
  return 0;
}

static int measurement(void)
{
  heddle_enter("before");
  heddle_leave("before");
  heddle_pause();
  heddle_enter("while off");
  heddle_leave("while off");
  heddle_start();
  heddle_enter("after");
  heddle_leave("after");
  return 0;
}

static void *work(void *argument)
{
  char name[32];
  snprintf(name, sizeof name, "short %d", *(int *)argument);
  heddle_name_thread(name);
  for (int i = 0; i < 100; i++) {
    heddle_enter(name);
    heddle_enter("common");
    heddle_leave("common");
    heddle_leave(name);
  }
  return NULL;
}

/* Many short threads that no runtime knows, four at a time. */
static int threads(void)
{
  for (int round = 0; round < 10; round++) {
    pthread_t ids[4];
    int numbers[4];
    for (int i = 0; i < 4; i++) {
      numbers[i] = round * 4 + i;
      pthread_create(&ids[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < 4; i++)
      pthread_join(ids[i], NULL);
  }
  return 0;
}

static pid_t clone_quietly(void)
{
  return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static int fork_by(pid_t (*way)(void))
{
  heddle_enter("both");
  fflush(stdout);
  pid_t child = way();
  if (child == 0) {
    heddle_enter("both");
    heddle_event("child", heddle_integer("both", 1));
    heddle_leave("both");
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  heddle_event("parent");
  heddle_leave("both");
  return status;
}

static int forks(void)
{
  return fork_by(fork);
}

/* No handlers of fork are called. */
static int fork_quietly(void)
{
  return fork_by(_Fork);
}

static int clone_itself(void)
{
  return fork_by(clone_quietly);
}

static volatile sig_atomic_t handled;

static pthread_key_t late;

/* Called in every round of destructors; the last ones are after the thread's end for Heddle. */
static void tell_late(void *round)
{
  heddle_event("late");
  if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(late, (void *)((uintptr_t)round + 1));
}

static void *ends_late(void *unused)
{
  heddle_event("in time");
  pthread_setspecific(late, (void *)1);
  return unused;
}

static int destructors(void)
{
  pthread_t thread;
  heddle_event("first"); /* Heddle's own destructor comes before */
  if (pthread_key_create(&late, tell_late) != 0 || pthread_create(&thread, NULL, ends_late, NULL) != 0)
    return 1;
  return pthread_join(thread, NULL);
}

static void on_signal(int number)
{
  (void)number;
  int saved = errno;
  heddle_enter("handler");
  heddle_leave("handler");
  errno = saved;
  handled++;
}

/* Signals at any moment of a call. */
static int signals(void)
{
  struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  signal(SIGALRM, on_signal);
  heddle_enter("handler");
  heddle_leave("handler");
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; handled < 2000; i++) {
    char name[32];
    snprintf(name, sizeof name, "name %d", i % 5000);
    heddle_enter(name);
    heddle_leave(name);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  return 0;
}

static void tells_a_new_name(int number)
{
  (void)number;
  int saved = errno;
  char name[] = "handler 0000";
  for (int i = 11, n = handled; i > 7; i--, n /= 10)
    name[i] = (char)('0' + n % 10);
  heddle_event(name);
  errno = saved;
  handled++;
}

/* Names that are new, of a handler's that comes while another new name is noted down. */
static int new_names_in_handlers(void)
{
  struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  int told = 0;
  signal(SIGALRM, tells_a_new_name);
  heddle_event("first");
  setitimer(ITIMER_REAL, &often, NULL);
  for (; handled < 2000; told++) {
    char name[32];
    snprintf(name, sizeof name, "name %d", told % 10000);
    heddle_event(name);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  printf("told: %d\n", 1 + told + handled);
  return 0;
}

static sem_t has_told;

static void *tells_from_its_begin(void *unused)
{
  for (int i = 0; i < 10; i++)
    heddle_event("early bird");
  sem_post(&has_told);
  return unused;
}

/* A process that begins to record with HEDDLE_VERBOSE=1 waits, as nobody reads what it says, until the other thread has
 * reported all. */
static int child_that_begins_slowly(void)
{
  static char bytes[65536];
  pthread_t thread[2];
  int pipes[2];
  if (pipe(pipes) != 0 || fcntl(pipes[1], F_SETFL, O_NONBLOCK) != 0)
    return 1;
  while (write(pipes[1], bytes, sizeof bytes) > 0 || write(pipes[1], bytes, 1) > 0)
    ;
  if (fcntl(pipes[1], F_SETFL, 0) != 0 || dup2(pipes[1], STDERR_FILENO) < 0 || sem_init(&has_told, 0, 0) != 0)
    return 1;
  for (int i = 0; i < 2; i++)
    if (pthread_create(&thread[i], NULL, tells_from_its_begin, NULL) != 0)
      return 1;
  sem_wait(&has_told);
  close(STDERR_FILENO);
  close(pipes[1]);
  if (read(pipes[0], bytes, sizeof bytes) <= 0)
    return 1;
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  exit(0);
}

static int fork_slowly(void)
{
  int status = 1;
  heddle_event("parent");
  pid_t child = fork();
  if (child == 0)
    _exit(child_that_begins_slowly());
  waitpid(child, &status, 0);
  return status;
}

static int secure(void)
{
  printf("secure: %lu\n", getauxval(AT_SECURE));
  return serial();
}

int main(int count, char **arguments)
{
  static const struct {
    const char *name;
    int (*run)(void);
  } ways[] = {{"sequence", sequence},
              {"serial", serial},
              {"unbalanced", unbalanced},
              {"hostile", hostile},
              {"many", many},
              {"reused", reused},
              {"attributes", attributes},
              {"measurement", measurement},
              {"threads", threads},
              {"fork", forks},
              {"quiet_fork", fork_quietly},
              {"clone", clone_itself},
              {"signals", signals},
              {"secure", secure},
              {"destructors", destructors},
              {"slow_child", fork_slowly},
              {"new_names", new_names_in_handlers}};
  for (size_t i = 0; count == 2 && i < sizeof ways / sizeof *ways; i++)
    if (strcmp(arguments[1], ways[i].name) == 0) {
      int status = ways[i].run();
      puts("done");
      return status;
    }
  fputs("Usage: events WAY\n", stderr);
  return 2;
}
