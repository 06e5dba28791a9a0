// question: top shows that my program uses half of a processor; what do its threads do?
// answer: blocked; sleep|kernel|sleeping_loop\.c
// compilers: gcc clang
// Each iteration sleeps longer than it works, as if it asked a server.
#include "tests/questions/work.h"
int main(void)
{
#pragma omp parallel for
  for (int i = 0; i < 80; i++) {
    work_ms(5);
    sleep_ms(15);
  }
  puts("done");
}
