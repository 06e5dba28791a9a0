/*
 * Constructs of templates and member functions, with bodies that are inlined from lambda functions. Marked as lines.c;
 * the instances of the template are in one function each, and at one line.
 */
#include <cstdio>
#include <vector>

template <class Body> static void for_each(int n, Body body)
{
#pragma omp parallel for // [parallel [for
  for (int i = 0; i < n; i++)
    body(i); // parallel] for]
}

struct solver {
  std::vector<double> a = std::vector<double>(500, 1), b = std::vector<double>(500, 2);

  void step()
  {
#pragma omp parallel for schedule(dynamic, 70) // [parallel [for
    for (int i = 0; i < 500; i++)
      a[i] += b[i];  // parallel] for]
#pragma omp parallel // [parallel
    {
#pragma omp single // [single
      a[0] = 1;    // single]
#pragma omp for    // [for
      for (int i = 0; i < 500; i++)
        b[i] += 1; // for]
    } // parallel]
  }
};

int main()
{
  solver s;
  for (int t = 0; t < 3; t++) {
    s.step();
    for_each(500, [&](int i) { s.a[i] *= s.b[i]; });
#pragma omp parallel for // [parallel [for
    for (int i = 0; i < 500; i++)
      s.a[i] *= 0.5; // parallel] for]
  }
  std::printf("result: %s\n", s.a[3] > 0 ? "right" : "WRONG");
}
