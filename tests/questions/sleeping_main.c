// question: my program takes a second, but its threads hardly work; where is the time?
// answer: blocked; usleep\(\), which main at sleeping_main.c:11 calls
// compilers: gcc
// run: samples
// Between its parallel loops the program sleeps.
#include "tests/questions/work.h"
#include <unistd.h>
int main(void)
{
  for (int round = 0; round < 30; round++) {
    usleep(30000);
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
      work_ms(1);
  }
}
