/* Numbers as texts: digits without fprintf(), for the millions of numbers of tables and exports; and figures with their
 * unit. Any thread may call. */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_UNITS_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_UNITS_H

#include <stddef.h>
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

#define UNITS_SIZE 32 /* enough for all texts below */

/* "1.234 s", "56.7 us", "890 ns", "0": about four digits, and a suitable unit. With 0 ticks per second: "1234". */
const char *units_duration(unsigned __int128 ticks, uint64_t ticks_per_second, char text[UNITS_SIZE]);

/* The same for a number of ticks that is not always whole. With 0 ticks per second: the number. */
const char *units_mean(double ticks, uint64_t ticks_per_second, char text[UNITS_SIZE]);

/* "0.2500", "3.1e-05". */
const char *units_probability(double probability, char text[UNITS_SIZE]);

/* "12.3 %"; "0 %" only for 0. */
const char *units_percent(double percent, char text[UNITS_SIZE]);

/* " ±3.0 %", what follows an estimate; " ±?" if the half-width is infinite. */
const char *units_margin(double half_width, double estimate, char text[UNITS_SIZE]);

/* "1,234,567". */
const char *units_count(uint64_t count, char text[UNITS_SIZE]);

#endif
