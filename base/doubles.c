#include "base/doubles.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

void doubles_sort(double *values, size_t count)
{
  if (count > 1)
    qsort(values, count, sizeof *values, compare);
}
