/*
 * Sections in regions that can be cancelled, whose barrier says whether that happened. The first region is not: each
 * thread takes a section. In the second the first thread waits until the other one has taken both, and cancels it.
 */
#include "tests/programs/program.h"
#include <omp.h>

static atomic_int arrived, first_taken, both_taken, after;

static void two_sections(bool cancel)
{
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      if (cancel)
        hold(&both_taken);
#pragma omp cancel parallel if (cancel)
    } else {
      hold(&first_taken);
    }
#pragma omp sections
    {
#pragma omp section
      {
        release(&first_taken);
        if (!cancel)
          meet(&arrived, 2);
      }
#pragma omp section
      {
        if (cancel)
          release(&both_taken);
        else
          meet(&arrived, 2);
      }
    }
    atomic_fetch_add(&after, 1);
  }
}

int main(void)
{
  two_sections(false);
  two_sections(true);
  bool cancelled = omp_get_cancellation();
  truth("parallel", 2);
  truth("members", 4);
  truth("sections", cancelled ? 3 : 4);
  truth("section", 4);
  return finish(after == (cancelled ? 2 : 4));
}
