// question: my producer is fast, but the queue is always full
// answer: serial; (burn|consume) at slow_consumer.cpp
// compilers: gcc
// run: samples
// One thread takes five times as long for an item as the thread that makes it.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable room, some;
static std::deque<int> items;
static volatile double out;
static double burn(double sum, int steps)
{
  for (int k = 0; k < steps; k++)
    sum += std::sqrt(k + sum);
  return sum;
}
static void consume()
{
  for (int item = 0; item >= 0;) {
    {
      std::unique_lock<std::mutex> lock(m);
      some.wait(lock, [] { return !items.empty(); });
      item = items.front();
      items.pop_front();
    }
    room.notify_one();
    out = burn(item, 500000);
  }
}
int main()
{
  std::thread consumer(consume);
  for (int i = 0; i <= 300; i++) {
    out = burn(i, 100000);
    std::unique_lock<std::mutex> lock(m);
    room.wait(lock, [] { return items.size() < 4; });
    items.push_back(i < 300 ? i : -1);
    some.notify_one();
  }
  consumer.join();
  printf("%g\n", out);
}
