/*
 * Tasks for a tool that wants to hear of some only (end-to-end/lending_tool.c); the test is gomp_tools.py. One thread,
 * so that their order is known.
 *
 * usage: unreported CASE
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 40, THROTTLED = 300 };
static int done;

/* Tasks that are deferred: the barrier's wait executes them. */
static void deferred(void)
{
  for (int i = 0; i < TASKS; i++) {
#pragma omp task
    done++;
  }
#pragma omp barrier
}

/* More than libgomp defers. */
static void throttled(void)
{
  for (int i = 0; i < THROTTLED; i++) {
#pragma omp task
    done++;
  }
#pragma omp barrier
}

static void at_once(void)
{
  for (int i = 0; i < TASKS; i++) {
#pragma omp task if (0)
    done++;
  }
}

static void with_mutex(void)
{
  for (int i = 0; i < 3; i++) {
#pragma omp task if (0)
    {
#pragma omp critical
      done++;
    }
  }
}

static void with_child(void)
{
  for (int i = 0; i < 3; i++) {
#pragma omp task if (0)
    {
      done++;
#pragma omp task if (0)
      done++;
    }
  }
}

static void with_wait(void)
{
  for (int i = 0; i < 3; i++) {
#pragma omp task if (0)
    {
#pragma omp taskgroup
      done++;
#pragma omp taskwait
    }
  }
}

static void with_region(void)
{
  for (int i = 0; i < 3; i++) {
#pragma omp task if (0)
    {
#pragma omp parallel num_threads(1)
      done++;
    }
  }
}

static void final_ones(void)
{
  for (int i = 0; i < 3; i++) {
#pragma omp task final(1)
    done++;
  }
}

static void detached(void)
{
  for (int i = 0; i < 3; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    {
      done++;
      omp_fulfill_event(event);
    }
  }
}

static void taskloop(void)
{
#pragma omp taskloop num_tasks(8)
  for (int i = 0; i < 8; i++)
    done++;
}

static void taskloop_at_once(void)
{
#pragma omp taskloop num_tasks(8) if (0)
  for (int i = 0; i < 8; i++)
    done++;
}

/* Outside of all regions, and the first thing that the program wants of libgomp. */
static void ordered_alone(void)
{
#pragma omp ordered
  done++;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "ordered_alone") == 0) {
    ordered_alone();
    return done == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  static const struct {
    const char *name;
    void (*run)(void);
    int done;
  } cases[] = {{"deferred", deferred, TASKS},
               {"throttled", throttled, THROTTLED},
               {"at_once", at_once, TASKS},
               {"with_mutex", with_mutex, 3},
               {"with_child", with_child, 6},
               {"with_wait", with_wait, 3},
               {"with_region", with_region, 3},
               {"final", final_ones, 3},
               {"detached", detached, 3},
               {"taskloop", taskloop, 8},
               {"taskloop_at_once", taskloop_at_once, 8}};
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
    if (strcmp(argv[1], cases[i].name) != 0)
      continue;
#pragma omp parallel num_threads(1)
    cases[i].run();
    return done == cases[i].done ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return 2;
}
