/* Durations with their unit. */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_UNITS_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_UNITS_H

#include <stddef.h>
#include <stdint.h>

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
