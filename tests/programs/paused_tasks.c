/*
 * Tasks of two places, made by one thread, which starts recording (omp_control_tool) after 50 of each: for a recording
 * that begins paused. Each place has 200 in all.
 */
#include "tests/programs/program.h"
#include <omp.h>

enum { EACH = 200, BEFORE = 50, FIRST_LINE = 19, SECOND_LINE = 21 };
static atomic_int done;

int main(void)
{
  int started = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < EACH; i++) {
    if (i == BEFORE)
      started = omp_control_tool(omp_control_tool_start, 0, NULL);
#pragma omp task
    atomic_fetch_add(&done, 1);
#pragma omp task
    atomic_fetch_add(&done, 1);
  }
  printf("control: %d\n", started);
  truth("first", FIRST_LINE);
  truth("second", SECOND_LINE);
  truth("recorded", EACH - BEFORE);
  return finish(atomic_load(&done) == 2 * EACH);
}
