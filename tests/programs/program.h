/*
 * Common parts of the traced programs: they say what they did ("truth: <key>=<n>", one line a fact) and whether their
 * own result is right. tests/end-to-end/trace.py counts the same keys in an archive.
 */
#ifndef HEDDLE_TESTS_PROGRAM_H
#define HEDDLE_TESTS_PROGRAM_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

/* Says that the program did `key` exactly n times. */
static inline void truth(const char *key, long n)
{
  printf("truth: %s=%ld\n", key, n);
}

/* Ends a program: prints whether its result is right and gives the exit status. */
static inline int finish(bool right)
{
  printf("result: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}

/* A thread that is about to hang says so. */
static inline void stuck(void)
{
  printf("stuck\n");
  fflush(stdout);
}

/*
 * Waits until n threads have come here, without any OpenMP construct: no event, no task scheduling point. With it a
 * program makes sure that each thread of a team takes exactly one chunk, section or task.
 */
static inline void meet(atomic_int *arrived, int n)
{
  atomic_fetch_add(arrived, 1);
  while (atomic_load(arrived) < n)
    sched_yield();
}

/* Waits until another thread has called release(): keeps a thread away from tasks without any OpenMP construct. */
static inline void hold(atomic_int *gate)
{
  while (!atomic_load(gate))
    sched_yield();
}

static inline void release(atomic_int *gate)
{
  atomic_store(gate, 1);
}

#endif
