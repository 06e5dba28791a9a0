/* Private to print/, whose users include print.h: what a table consists of. */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_CELL_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_CELL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum print_type {
  PRINT_STRING,
  PRINT_COUNT,       /* a number of things */
  PRINT_NUMBER,      /* a number as a name: a line, an index */
  PRINT_DURATION,    /* ticks */
  PRINT_SHARE,       /* ticks, and their part of other ticks */
  PRINT_PERCENT,     /* 0 to 100 */
  PRINT_RATIO,       /* 0 to 1 */
  PRINT_PROBABILITY, /* 0 to 1; in text four digits, or an exponent if it is very small */
  PRINT_REAL,        /* any number without a unit, or with its unit in the title */
  PRINT_MEAN,        /* a duration in ticks, not always whole */
  PRINT_VALUE        /* any number, as a text with all its digits; what is none is null in JSON */
};

/* When text omits a column. `true` is PRINT_OMIT_ZERO. */
enum {
  PRINT_OMIT_ZERO = 1, /* if all its cells are zero or empty */
  PRINT_OMIT_FIRST = 2 /* before other columns, if the terminal has no room for all */
};

struct print_column {
  const char *key;   /* for programs: lower case, _ */
  const char *title; /* for people */
  enum print_type type;
  unsigned char omit; /* PRINT_OMIT_..., or 0 */
};

struct print_cell {
  bool there; /* false: no value (JSON null, CSV empty, text "-") */
  const char *text;
  uint64_t count;    /* COUNT, NUMBER; ticks of DURATION and SHARE */
  uint64_t of;       /* SHARE: the whole */
  double real;       /* PERCENT, RATIO, PROBABILITY, REAL, MEAN */
  bool estimate;     /* COUNT, DURATION, SHARE, PERCENT, RATIO */
  double half_width; /* half the width of an estimate's interval, in the unit of `count` or `real`; infinite: unknown */
};

static inline struct print_cell print_none(void)
{
  return (struct print_cell){0};
}

static inline struct print_cell print_string(const char *text)
{
  return (struct print_cell){.there = text != NULL, .text = text};
}

/* Sums of many threads may have more than 64 bits: they become the largest number. */
static inline uint64_t print_bounded(unsigned __int128 count)
{
  return count > UINT64_MAX ? UINT64_MAX : (uint64_t)count;
}

/* Also for DURATION, in ticks. */
static inline struct print_cell print_number(unsigned __int128 count)
{
  return (struct print_cell){.there = true, .count = print_bounded(count)};
}

static inline struct print_cell print_share(unsigned __int128 ticks, unsigned __int128 of)
{
  return (struct print_cell){.there = true, .count = print_bounded(ticks), .of = print_bounded(of)};
}

static inline struct print_cell print_real(double real)
{
  return (struct print_cell){.there = true, .real = real};
}

/* None if the number is not known (NAN) or has no bound. */
static inline struct print_cell print_finite(double real)
{
  return isfinite(real) ? print_real(real) : print_none();
}

/* A COUNT, DURATION, SHARE, PERCENT or RATIO that is an estimate, with the half-width of its 95 % interval. */
static inline struct print_cell print_estimate(struct print_cell cell, double half_width)
{
  cell.estimate = true;
  cell.half_width = half_width;
  return cell;
}

/* ticks as a percentage of the whole; 0 if the whole is 0. */
static inline double print_percentage(unsigned __int128 ticks, unsigned __int128 of)
{
  return of ? 100.0 * (double)ticks / (double)of : 0;
}

#endif
