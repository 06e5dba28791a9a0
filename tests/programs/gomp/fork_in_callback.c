/*
 * A process that forks while another thread is in a tool's callback, in which the provider holds a lock. The child
 * makes a task: it must not wait for a thread that it does not have. The tool is a part of the program.
 */
#include "tests/programs/program.h"

#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int told, forked;

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  (void)prior;
  (void)next;
  if (status != ompt_task_early_fulfill)
    return;
  release(&told);
  hold(&forked);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
  (void)device;
  (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  return set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule) != ompt_set_error;
}

static void finalize(ompt_data_t *data)
{
  (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version;
  (void)runtime;
  return &result;
}

static void *fulfill(void *unused)
{
  omp_event_handle_t event;
#pragma omp task detach(event)
  omp_fulfill_event(event);
  return unused;
}

/* Whether the child ends well, within 20 s. */
static bool ends(pid_t child)
{
  int status;
  for (int i = 0; i < 2000; i++) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

int main(void)
{
  pthread_t other;
  pthread_create(&other, NULL, fulfill, NULL);
  hold(&told);
  pid_t child = fork();
  if (child == 0) {
    int done = 0;
#pragma omp task shared(done)
    done = 1;
#pragma omp taskwait
    _exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  bool right = child > 0 && ends(child);
  release(&forked);
  pthread_join(other, NULL);
  return finish(right);
}
