// question: my readers share a lock; why do they not run at the same time?
// answer: synchronization; slow_writer\.cpp|table
// compilers: gcc
// A writer holds the shared lock for most of the time.
#include "tests/questions/work.h"
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex table;
int main()
{
  std::thread writer([] {
    for (int i = 0; i < 80; i++) {
#ifdef MENDED
      work_ms(8);
      std::unique_lock lock(table);
      work_ms(0.2);
#else
      std::unique_lock lock(table);
      work_ms(8);
#endif
    }
  });
  std::thread reader([] {
    for (int i = 0; i < 80; i++) {
      {
        std::shared_lock lock(table);
        work_ms(1);
      }
      work_ms(7);
    }
  });
  writer.join();
  reader.join();
  puts("done");
}
