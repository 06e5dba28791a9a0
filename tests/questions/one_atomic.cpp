// question: All threads add to one std::atomic. Why does the loop not get faster with more threads?
// answer: memory; atomic instruction
// compilers: gcc clang
// run: scale
#include <atomic>
#include <cstdio>

static std::atomic<long> total;

int main()
{
#pragma omp parallel
  {
    long own = 0;
#pragma omp for
    for (long i = 0; i < 40000000; i++) {
#ifdef MENDED
      own += i;
#else
      total.fetch_add(i, std::memory_order_relaxed);
#endif
    }
    total += own;
  }
  printf("%ld\n", total.load());
  return 0;
}
