// question: I start a std::thread for each item; is this expensive?
// answer: threads,grain; thread
// compilers: gcc
// An item is much shorter than the creation of a thread.
#include <cmath>
#include <cstdio>
#include <thread>
double r[2];
int main()
{
  for (int i = 0; i < 20000; i++) {
    std::thread a([] { r[0] += std::sqrt(2.0); }), b([] { r[1] += 1; });
    a.join();
    b.join();
  }
  printf("%f\n", r[0]);
}
