/*
 * Parts that gcc's omp.h lacks and the programs in ../constructs use. omp_control_tool (OpenMP 5.0; before gcc 16) is
 * weak because libgomp does not have it. libgomp does not have locks with hints at all.
 */
#ifndef HEDDLE_TESTS_NEWER_OMP_H
#define HEDDLE_TESTS_NEWER_OMP_H

#include <omp.h>
#include <stddef.h>

#if defined __GNUC__ && !defined __clang__
enum { omp_control_tool_start = 1, omp_control_tool_pause = 2, omp_control_tool_flush = 3, omp_control_tool_end = 4 };

static int heddle_tests_control_tool(int command, int modifier, void *argument)
    __attribute__((weakref("omp_control_tool")));

static inline int control_tool_if_there(int command, int modifier, void *argument)
{
  int (*control)(int, int, void *) = heddle_tests_control_tool;
  return control ? control(command, modifier, argument) : -2;
}
#define omp_control_tool control_tool_if_there

static inline void init_lock_without_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
  (void)hint;
  omp_init_lock(lock);
}
#define omp_init_lock_with_hint init_lock_without_hint
#endif

#endif
