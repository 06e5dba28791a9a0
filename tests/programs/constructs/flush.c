/* Flush constructs: with a list and without. */
#include "tests/programs/program.h"

int main(void)
{
  int x = 0;
#pragma omp parallel num_threads(2) shared(x)
  {
#pragma omp flush
#pragma omp flush(x)
  }
  truth("flushes", 4);
  return finish(x == 0);
}
