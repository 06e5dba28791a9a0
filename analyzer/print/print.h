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

#include "analyzer/print/cell.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum print_format { PRINT_TEXT, PRINT_JSON, PRINT_CSV };

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
