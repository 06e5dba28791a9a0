// Threads, mutexes and conditions of C++; the lines with MARK are where the program waits.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

struct Queue {
  std::mutex lock;
  std::condition_variable filled;
  std::queue<int> items;

  void push(int item)
  {
    std::lock_guard<std::mutex> guard(lock);
    items.push(item);
    filled.notify_one();
  }

  int pop()
  {
    std::unique_lock<std::mutex> guard(lock);
    while (items.empty())
      filled.wait(guard); // MARK condition
    int item = items.front();
    items.pop();
    return item;
  }
};

static Queue queue;
static std::mutex total_lock;
static long total, refused;

static void consume()
{
  for (;;) {
    int item = queue.pop();
    if (item < 0)
      return;
    for (int i = 0; i < 20; i++) {
      bool first = total_lock.try_lock();
      if (!first)
        total_lock.lock(); // MARK mutex
      refused += !first;
      total += item;
      if (total % 50 == 0)
        std::this_thread::yield();
      total_lock.unlock();
    }
  }
}

int main()
{
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back(consume);
  for (int i = 0; i < 500; i++) {
    queue.push(1);
    if (i % 100 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (int i = 0; i < 3; i++)
    queue.push(-1);
  for (auto &thread : threads)
    thread.join();
  std::printf("truth: refused=%ld\nresult: %s\n", refused, total == 10000 ? "right" : "WRONG");
  return total == 10000 ? 0 : 1;
}
