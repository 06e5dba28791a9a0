// question: I wait by std::atomic::wait instead of a mutex; is it faster?
// answer: synchronization; atomic
// compilers: gcc
// A lock of two atomic operations is held for most of the time.
#include "tests/questions/work.h"
#include <atomic>
#include <thread>
static std::atomic<int> held{0};
static void worker()
{
  for (int i = 0; i < 80; i++) {
    while (held.exchange(1))
      held.wait(1);
    work_ms(8);
    held.store(0);
    held.notify_one();
    work_ms(1);
  }
}
int main()
{
  std::thread first(worker), second(worker);
  first.join();
  second.join();
  puts("done");
}
