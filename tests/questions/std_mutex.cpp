// question: my std::threads share a sum; why do they not scale?
// answer: synchronization; mutex m
// compilers: gcc
// All of the work is done under one mutex.
#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
std::mutex m;
double total;
static void work(int id)
{
  for (int i = 0; i < 400; i++) {
    std::lock_guard<std::mutex> g(m);
    for (int k = 0; k < 100000; k++)
      total += std::sqrt(k + id);
  }
}
int main()
{
  std::vector<std::thread> t;
  for (int i = 0; i < 2; i++)
    t.emplace_back(work, i);
  for (auto &x : t)
    x.join();
  printf("%f\n", total);
}
