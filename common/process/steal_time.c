#include "common/process/steal_time.h"

#include "common/process/text.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define BEGIN "cpu "

/* user nice system idle iowait irq softirq steal; what follows is part of the first two */
enum { STEAL = 7, COLUMNS };

bool steal_time_read(const char *path, struct steal_time *stolen)
{
  char line[512];
  if (file_read(path, line, sizeof line) <= 0 || strncmp(line, BEGIN, strlen(BEGIN)) != 0)
    return false;
  *stolen = (struct steal_time){0, 0};
  char *at = line + strlen(BEGIN);
  for (unsigned column = 0; column < COLUMNS; column++) {
    at += strspn(at, " ");
    if (*at < '0' || *at > '9')
      return false; /* the kernel has no such column */
    uint64_t number = strtoull(at, &at, 10);
    stolen->all += number;
    stolen->taken = column == STEAL ? number : 0;
  }
  return true;
}

bool steal_time_is_possible(void)
{
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 31) != 0;
#else
  return true;
#endif
}
