// C++ as programmers write it: namespaces, templates, classes, lambdas, operators, inlined functions.
#include <cstdio>
#include <ctime>

static volatile unsigned long sink;

static double own_time()
{
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

namespace grid
{
namespace
{
__attribute__((noinline)) void burn()
{
  unsigned long x = sink + 1;
  for (int i = 0; i < 200000; i++)
    x = x * 6364136223846793005ul + 1442695040888963407ul;
  sink = x;
}
} // namespace

template <typename Number> struct Solver {
  Number time;
  __attribute__((noinline)) void step(int) const
  {
    for (double end = own_time() + time; own_time() < end;)
      burn();
    sink = sink + 1;
  }
  inline __attribute__((always_inline)) void sweep() const
  {
    step(1);
    sink = sink + 1;
  }
  __attribute__((noinline)) void operator()() const
  {
    sweep();
    sink = sink + 1;
  }
};

template <typename Function> __attribute__((noinline)) int apply(const Function &function)
{
  function();
  sink = sink + 1;
  return 0;
}
} // namespace grid

int main()
{
#pragma omp parallel
  {
    grid::Solver<double> solver{0.15};
    grid::apply(solver);
  }
  std::printf("result: right\n");
  return 0;
}
