// question: all my threads stand still at the start, and only one works
// answer: synchronization,serial; once
// compilers: gcc
// run: samples
// One thread fills a table under std::call_once; the other one waits for that.
#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
static std::once_flag flag;
static double table[1000], sums[2];
static void fill()
{
  for (int i = 0; i < 1000; i++)
    for (int k = 0; k < 300000; k++)
      table[i] += std::sqrt(k + i);
}
static void use(int id)
{
  std::call_once(flag, fill);
  for (int k = 0; k < 50000000; k++)
    sums[id] += table[k % 1000];
}
int main()
{
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; i++)
    threads.emplace_back(use, i);
  for (auto &thread : threads)
    thread.join();
  printf("%g\n", sums[0] + sums[1]);
}
