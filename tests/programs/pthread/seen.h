/* Common part of the programs here: how a thread sees that another one waits, so that their own counts are exact. */
#ifndef HEDDLE_TESTS_PROGRAMS_PTHREAD_SEEN_H
#define HEDDLE_TESTS_PROGRAMS_PTHREAD_SEEN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends the program, unless a call returned what it has to. */
#define MUST(call, result)                                                                                             \
  do {                                                                                                                 \
    long seen_ = (long)(call);                                                                                         \
    if (seen_ != (long)(result)) {                                                                                     \
      printf("%s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #call, seen_, (long)(result));                         \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* Waits until the thread with this number in the kernel sleeps in a futex: the kernel says in which call it is. */
static inline void seen_asleep(volatile const int *thread)
{
  char path[64], text[64];
  while (*thread == 0)
    usleep(100);
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", *thread);
  for (;;) {
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
      fclose(file);
    text[got] = '\0';
    if (strncmp(text, "202 ", 4) == 0)
      return;
    usleep(100);
  }
}

#endif
