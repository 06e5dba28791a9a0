// question: nobody waits for my mutexes; why are the threads slower than without them?
// answer: runtime,grain; free_mutex
// compilers: gcc
// Each thread has an account of its own, and locks it for each of 30,000,000 additions.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
struct alignas(256) Account {
  std::mutex m;
  volatile long sum = 0;
  void add(long x)
  {
#ifndef MENDED
    std::lock_guard<std::mutex> g(m);
#endif
    sum = sum + x;
  }
};
int main()
{
  std::vector<Account> accounts(2);
  std::vector<std::thread> t;
  for (int i = 0; i < 2; i++)
    t.emplace_back([&accounts, i] {
      for (long k = 0; k < 30000000; k++)
        accounts[i].add(k);
    });
  for (auto &x : t)
    x.join();
  printf("%ld\n", accounts[0].sum);
}
