// question: my program has a fast loop, but in all it is hardly faster
// answer: serial; fill at serial_init\.c
// compilers: gcc
// run: samples
// One thread fills the arrays.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 20000000
double *a;
static void fill(void)
{
  srand(1);
  for (int i = 0; i < N; i++)
    a[i] = rand() * 0.5;
}
int main(void)
{
  a = malloc(N * 8L);
  fill();
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < N; i++)
    s += sqrt(a[i]);
  printf("%f\n", s);
}
