// question: I wrote a spin lock of my own, because they are fast
// answer: synchronization; spin loop in .*spin_lock\.cpp
// compilers: gcc
// run: samples
// A thread spins while another one works under the lock.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>
std::atomic_flag f = ATOMIC_FLAG_INIT;
double s;
static void w()
{
  for (int i = 0; i < 300; i++) {
    while (f.test_and_set(std::memory_order_acquire))
      ;
    for (int k = 0; k < 100000; k++)
      s += std::sqrt(k);
    f.clear(std::memory_order_release);
  }
}
int main()
{
  std::thread a(w), b(w);
  a.join();
  b.join();
  printf("%f\n", s);
}
