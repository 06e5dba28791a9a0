// question: I have two std::threads; why is one processor idle?
// answer: imbalance; .
// compilers: gcc
// One has ten times the work of the other.
#include <cmath>
#include <cstdio>
#include <thread>
double o[2];
static void w(int i, long n)
{
  double v = 0;
  for (long k = 0; k < n; k++)
    v += std::sqrt(k);
  o[i] = v;
}
int main()
{
  std::thread a(w, 0, 300000000L), b(w, 1, 30000000L);
  a.join();
  b.join();
  printf("%f\n", o[0]);
}
