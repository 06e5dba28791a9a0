/* omp_control_tool: measurement is paused around the second region, flushed, and goes on. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int members = 0;
#pragma omp parallel num_threads(2)
  atomic_fetch_add(&members, 1);
  int paused = omp_control_tool(omp_control_tool_pause, 0, NULL);
#pragma omp parallel num_threads(2)
  atomic_fetch_add(&members, 1);
  int started = omp_control_tool(omp_control_tool_start, 0, NULL);
  int flushed = omp_control_tool(omp_control_tool_flush, 0, NULL);
#pragma omp parallel num_threads(2)
  atomic_fetch_add(&members, 1);
  printf("omp_control_tool: pause %d, start %d, flush %d\n", paused, started, flushed);
  return finish(members == 6);
}
