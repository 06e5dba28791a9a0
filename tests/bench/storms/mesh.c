/*
 * A realistic storm: elements of an irregular mesh add to points that they share with their neighbours. So every update
 * acquires the lock of a point, and hardly ever waits for it. The mesh is refined as it goes: elements move to other
 * points.
 */
#include "tests/bench/storms/storms.h"

enum { ELEMENTS = 2000, POINTS = 3000, CORNERS = 4, NEAR = 40, UPDATES = 10 };

struct point {
  omp_lock_t lock;
  double heat, flow, mass;
  long degree;
};

static struct point points[POINTS];
static int corner[ELEMENTS][CORNERS];
static double temperature[ELEMENTS];

long mesh_step(void)
{
  return (long)ELEMENTS * UPDATES;
}

/* The point of a corner: near the element's place, but anywhere there. */
static int scattered(long element, int k, long step)
{
  unsigned long x = (unsigned long)(element * CORNERS + k + step * 7919) * 0x9e3779b97f4a7c15UL;
  return (int)(((unsigned long)element * POINTS / ELEMENTS + (x >> 40) % NEAR) % POINTS);
}

static void start(void)
{
  static int ready;
  if (ready)
    return;
  ready = 1;
  for (int i = 0; i < POINTS; i++)
    omp_init_lock(&points[i].lock);
}

/* Four source lines: heat flows to the corners. */
static void spread(void)
{
#pragma omp parallel for schedule(static)
  for (int e = 0; e < ELEMENTS; e++) {
    struct point *a = &points[corner[e][0]], *b = &points[corner[e][1]], *c = &points[corner[e][2]],
                 *d = &points[corner[e][3]];
    double quarter = temperature[e] * 0.25;
    omp_set_lock(&a->lock);
    a->heat += quarter;
    omp_unset_lock(&a->lock);
    omp_set_lock(&b->lock);
    b->heat += quarter;
    omp_unset_lock(&b->lock);
    omp_set_lock(&c->lock);
    c->heat += quarter;
    omp_unset_lock(&c->lock);
    omp_set_lock(&d->lock);
    d->heat += quarter;
    omp_unset_lock(&d->lock);
    mine()->done += 4;
  }
}

/* Three source lines: along an edge, from the hotter corner to the colder one, and what is lost on the way. */
static void balance(void)
{
#pragma omp parallel for schedule(static)
  for (int e = 0; e < ELEMENTS; e++) {
    struct point *from = &points[corner[e][0]], *to = &points[corner[e][2]], *rest = &points[corner[e][1]];
    double flow = temperature[e] * 0.01;
    omp_set_lock(&from->lock);
    from->flow -= flow;
    omp_unset_lock(&from->lock);
    omp_set_lock(&to->lock);
    to->flow += flow * 0.9;
    omp_unset_lock(&to->lock);
    omp_set_lock(&rest->lock);
    rest->flow += flow * 0.1;
    omp_unset_lock(&rest->lock);
    mine()->done += 3;
  }
}

/* Two source lines: an element's mass goes to the points of its diagonal. Few are chosen by what they are near to. */
static void weigh(void)
{
#pragma omp parallel for schedule(dynamic, 100)
  for (int e = 0; e < ELEMENTS; e++) {
    struct point *first = &points[corner[e][1]], *second = &points[corner[e][3]];
    omp_set_lock(&first->lock);
    first->mass += 0.5;
    omp_unset_lock(&first->lock);
    omp_set_lock(&second->lock);
    second->mass += 0.5;
    omp_unset_lock(&second->lock);
    mine()->done += 2;
  }
}

/* One source line: an element moves, and counts itself at its new first point. */
static void refine(long step)
{
#pragma omp parallel for schedule(static)
  for (int e = 0; e < ELEMENTS; e++) {
    for (int k = 0; k < CORNERS; k++)
      corner[e][k] = scattered(e, k, step);
    struct point *first = &points[corner[e][0]];
    omp_set_lock(&first->lock);
    first->degree++;
    omp_unset_lock(&first->lock);
    mine()->done++;
  }
}

/* No lock: elements take their temperature from their corners. */
static void gather(void)
{
#pragma omp parallel for schedule(static)
  for (int e = 0; e < ELEMENTS; e++) {
    double sum = 0;
    for (int k = 0; k < CORNERS; k++)
      sum += points[corner[e][k]].heat + points[corner[e][k]].flow;
    temperature[e] = 1 + sum / (1 + sum * sum);
  }
}

void mesh(long n)
{
  start();
  for (long step = 0; step < n / mesh_step(); step++) {
    refine(step);
    spread();
    balance();
    weigh();
    gather();
  }
}
