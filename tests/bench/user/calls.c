/* calls N: ns of processor time a call of heddle.h, a line each; N calls of each kind. */
#include "user-events/include/heddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Time of a loop of n calls, the loop itself taken off; the barrier keeps the compiler from merging calls. */
#define MEASURE(what, call)                                                                                            \
  do {                                                                                                                 \
    double from = now();                                                                                               \
    for (long i = 0; i < n; i++) {                                                                                     \
      call;                                                                                                            \
      __asm__ volatile("" ::: "memory");                                                                               \
    }                                                                                                                  \
    printf("C, %s: %.2f\n", what, (now() - from) / (double)n - empty);                                                 \
  } while (0)

int main(int count, char **arguments)
{
  long n = count > 1 ? strtol(arguments[1], NULL, 10) : 10000000;
  heddle_enter("region");
  heddle_leave("region");
  double begin = now();
  for (long i = 0; i < n; i++)
    __asm__ volatile("" ::: "memory");
  double empty = (now() - begin) / (double)n;
  MEASURE("enter and leave, half of both", {
    heddle_enter("region");
    heddle_leave("region");
    i++;
  });
  MEASURE("name of 40 bytes", heddle_phase("a phase whose name is forty characters.."));
  MEASURE("event", heddle_event("event"));
  MEASURE("event, 2 attributes", heddle_event("event", heddle_integer("step", i), heddle_real("norm", (double)i)));
  return 0;
}
