/* A region that is a loop, with schedule(runtime) as programs say it and as nonmonotonic. Each thread takes an
 * iteration. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int plain = 0, nonmonotonic = 0;
#pragma omp parallel for num_threads(2) schedule(runtime)
  for (int i = 0; i < 2; i++)
    meet(&plain, 2);
#pragma omp parallel for num_threads(2) schedule(nonmonotonic : runtime)
  for (int i = 0; i < 2; i++)
    meet(&nonmonotonic, 2);
  truth("parallel", 2);
  truth("members", 4);
  truth("loops", 4);
  truth("iterations", 4);
  return finish(plain == 2 && nonmonotonic == 2);
}
