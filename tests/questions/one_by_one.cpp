// question: I start my work by std::async; why does it take as long as before?
// answer: serial,threads; .
// compilers: gcc
// Each future is waited for before the next one is started.
#include "tests/questions/work.h"
#include <future>
int main()
{
  for (int i = 0; i < 20; i++) {
    auto first = std::async(std::launch::async, [] { work_ms(20); });
#ifndef MENDED
    first.wait();
#endif
    auto second = std::async(std::launch::async, [] { work_ms(20); });
    first.wait();
    second.wait();
  }
  puts("done");
}
