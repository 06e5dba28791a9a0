/* Decimal digits without fprintf(): tables and exports have millions of numbers. Any thread may call it. */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_DIGITS_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_DIGITS_H

#include <stdint.h>

enum { DIGITS_MOST = 20 }; /* of a 64-bit number */

/* Writes at least `least` digits just before `end`, with zeros in front; returns where they begin. */
static inline char *digits_before(char *end, uint64_t number, unsigned least)
{
  char *at = end;
  for (; number > 0 || end - at < (long)least; number /= 10)
    *--at = (char)('0' + number % 10);
  return at;
}

#endif
