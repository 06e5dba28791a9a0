/*
 * Works on command, as phases.c. Each line of standard input is a number of times to be in an own region with an event
 * inside, and in a critical section. "enter" and "leave" begin and end another region.
 */
#include "user-events/include/heddle.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long sum;

static void work(long n)
{
#pragma omp parallel num_threads(1)
  for (long i = 0; i < n; i++) {
    heddle_enter("step");
    heddle_event("sum", heddle_integer("so far", sum));
#pragma omp critical(adding)
    sum++;
    heddle_leave("step");
  }
}

int main(void)
{
  char line[64];
  long asked = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (strcmp(line, "enter\n") == 0)
      heddle_enter("outer");
    else if (strcmp(line, "leave\n") == 0)
      heddle_leave("outer");
    else
      work(atol(line));
    asked += atol(line);
    printf("done: %s", line);
    fflush(stdout);
  }
  puts(sum == asked ? "result: right" : "result: wrong");
  return 0;
}
