// question: I have sixteen threads; why do they run slower than I expect?
// answer: nothing,processors; processor
// compilers: gcc
// All compute, and there are not so many processors. More processors would help, fewer threads would not.
#include "tests/questions/work.h"
#include <thread>
#include <vector>
int main()
{
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; i++)
    threads.emplace_back([] { work_ms(100); });
  for (auto &thread : threads)
    thread.join();
  puts("done");
}
