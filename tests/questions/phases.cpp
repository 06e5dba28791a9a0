// question: my threads meet at a std::barrier after each step
// answer: imbalance; .
// compilers: gcc
// One of the two threads has four times the work in each step.
#include "tests/questions/work.h"
#include <barrier>
#include <thread>
int main()
{
  std::barrier meet(2);
  auto worker = [&](double ms) {
    for (int step = 0; step < 40; step++) {
      work_ms(ms);
      meet.arrive_and_wait();
    }
  };
#ifdef MENDED
  std::thread first(worker, 10), second(worker, 10);
#else
  std::thread first(worker, 16), second(worker, 4);
#endif
  first.join();
  second.join();
  puts("done");
}
