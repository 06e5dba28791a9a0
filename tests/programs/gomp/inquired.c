/* Brings the tool of ../../end-to-end/inquiring_tool.c to places where it asks: in a task, and while a thread waits. */
#include "tests/programs/gomp/newer_omp.h"
#include "tests/programs/program.h"

enum { ASK_HERE = 100, I_WILL_WAIT = 101, OTHER_WAITS_IN = 102 };
enum { WAIT_CRITICAL = 0x42 }; /* ompt_state_wait_critical */

/* Thread 1 has what thread 0 waits for until the tool saw it wait. */
static void wait_for_critical(void)
{
  atomic_int has = 0, ready = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      hold(&ready);
#pragma omp critical
      {
        release(&has);
        omp_control_tool(OTHER_WAITS_IN, WAIT_CRITICAL, NULL);
      }
    } else {
      omp_control_tool(I_WILL_WAIT, 0, NULL);
      release(&ready);
      hold(&has);
#pragma omp critical
      {
      }
    }
  }
}

int main(void)
{
  atomic_int answers = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
#pragma omp task
    atomic_fetch_add(&answers, omp_control_tool(ASK_HERE, 0, NULL));
  }
  wait_for_critical();
  int ended = omp_control_tool(omp_control_tool_end, 0, NULL);
  /* Nobody receives this any more. */
#pragma omp parallel num_threads(2)
  {
  }
  printf("answers: %d %d %d\n", answers, ended, omp_control_tool(ASK_HERE, 0, NULL));
  truth("parallel", 3);
  return finish(true);
}
