/*
 * The output of a command: facts, tables and sentences, once for people and once for programs. A command says what it
 * has; the format decides how it looks:
 *   text  aligned tables, durations with the unit that fits, percentages beside their times
 *   JSON  one object: facts and sentences are members, a table is an array of objects. A duration is an object with
 *         `ticks` (exact) and `seconds`, a share of something also has `percent`
 *   CSV   tables only (RFC 4180), separated by an empty line; a duration is two columns, <key>_ticks and <key>_s
 * Text in cells may come from anywhere: it is escaped here. Pointers are used during the call only.
 */
#ifndef HEDDLE_ANALYZER_PRINT_PRINT_H
#define HEDDLE_ANALYZER_PRINT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum print_format { PRINT_TEXT, PRINT_JSON, PRINT_CSV };

enum print_type {
  PRINT_STRING,
  PRINT_COUNT,       /* how many */
  PRINT_NUMBER,      /* a name that is a number: a line, an index */
  PRINT_DURATION,    /* ticks */
  PRINT_SHARE,       /* ticks, and what part of other ticks they are */
  PRINT_PERCENT,     /* 0 to 100 */
  PRINT_RATIO,       /* 0 to 1 */
  PRINT_PROBABILITY, /* 0 to 1, with four digits in text, more if it is very small */
  PRINT_REAL,        /* any number that has no unit, or whose unit the title says */
  PRINT_MEAN         /* a duration in ticks that need not be a whole number */
};

struct print_column {
  const char *key;   /* for programs: lower case, _ */
  const char *title; /* for people */
  enum print_type type;
  bool omit_zero; /* in text: leave the column out if nothing in it differs from zero or none */
};

struct print_cell {
  bool there; /* false: no value (JSON null, CSV empty, text "-") */
  const char *text;
  uint64_t count; /* COUNT, NUMBER; ticks of DURATION and SHARE */
  uint64_t of;    /* SHARE: the whole */
  double real;    /* PERCENT, RATIO, PROBABILITY, REAL, MEAN */
};

static inline struct print_cell print_none(void)
{
  return (struct print_cell){0};
}

static inline struct print_cell print_string(const char *text)
{
  return (struct print_cell){.there = text != NULL, .text = text};
}

/* Sums of many threads may have more than 64 bits: then the largest number is shown. */
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

/* ticks as a percentage of the whole; 0 of nothing is 0. */
static inline double print_percentage(unsigned __int128 ticks, unsigned __int128 of)
{
  return of ? 100.0 * (double)ticks / (double)of : 0;
}

struct print;

/*
 * Begins a document on `file`. With 0 ticks per second the unit of time is unknown: text shows ticks as numbers, and
 * there are no seconds in JSON (null) and CSV (empty). NULL: no memory.
 */
struct print *print_open(enum print_format format, FILE *file, uint64_t ticks_per_second);

/* One fact; all facts come before the first table. In CSV they make a table `fact,value` if print_csv_facts() was
 * called. */
void print_fact(struct print *print, const char *key, const char *title, enum print_type type, struct print_cell value);
void print_csv_facts(struct print *print);

/*
 * A table: begin, rows (one cell a column), end. `columns` stays valid until the end. `title` may be NULL.
 * A flowing table shows each row at once, in columns of fixed width, and holds none of them in memory.
 */
void print_table(struct print *print, const char *key, const char *title, const struct print_column *columns,
                 size_t column_count, bool flowing);
void print_row(struct print *print, const struct print_cell *cells);
void print_table_end(struct print *print);

/* A sentence for people that also programs get. */
void print_sentence(struct print *print, const char *key, const char *text);

/* Ends the document. False: it could not be written or memory ran out; says so on stderr. */
bool print_close(struct print *print);

#endif
