/*
 * The program of the demo: pairwise forces of N bodies on a line, ./imbalanced [N] [steps]. It is right, and slow in
 * ways that a trace shows. The pairs form a triangle, so schedule(static) gives the first thread far more than the
 * last. The energy is summed up in a critical section in the middle of the loop. Each step ends in one barrier more
 * than it needs.
 */
#include "tests/programs/program.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

struct bodies {
  int n;
  double *position, *force;
  double energy;
};

/* Force on body i by the ones behind it, and the energy of these pairs. */
static double pull(struct bodies *bodies, int i)
{
  double force = 0, energy = 0;
  for (int j = i + 1; j < bodies->n; j++) {
    double distance = bodies->position[j] - bodies->position[i];
    force += 1 / (distance * distance);
    energy -= 1 / distance;
  }
  bodies->force[i] = force;
  return energy;
}

static void forces(struct bodies *bodies)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < bodies->n; i++) {
      double energy = pull(bodies, i);
#pragma omp critical(energy)
      bodies->energy += energy;
    }
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 0; i < bodies->n; i++)
      bodies->position[i] += 1e-9 * bodies->force[i];
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 4000, steps = argc > 2 ? atoi(argv[2]) : 20;
  if (n < 2 || n > 100000 || steps < 1) {
    fprintf(stderr, "imbalanced: N is a number from 2 to 100000, steps one from 1\n");
    return 2;
  }
  int threads = omp_get_max_threads();
  struct bodies bodies = {
      .n = n, .position = malloc((size_t)n * sizeof(double)), .force = malloc((size_t)n * sizeof(double))};
  for (int i = 0; i < n; i++)
    bodies.position[i] = i;
  for (int s = 0; s < steps; s++) {
    bodies.energy = 0;
    forces(&bodies);
  }

  /* At distances 1, 2, 3 ...: the sum over all pairs is -sum (n - d) / d. The bodies hardly moved. */
  double expected = 0;
  for (int d = 1; d < n; d++)
    expected -= (double)(n - d) / d;
  bool right = fabs(bodies.energy / expected - 1) < 1e-5;
  printf("%d bodies, %d steps, energy %.3f\n", n, steps, bodies.energy);
  free(bodies.position);
  free(bodies.force);
  truth("parallel", steps);
  truth("loops", 2l * steps * threads);
  truth("iterations", 2l * steps * n);
  truth("criticals", (long)steps * n);
  truth("barriers", (long)steps * threads);
  return finish(right);
}
