/*
 * The output of a command: facts, tables and sentences, for people or for programs. The command has the contents, the
 * format has the form:
 *   text  aligned tables, durations with a suitable unit, percentages beside their times
 *   JSON  one object: facts and sentences are members, a table is an array of objects. A duration is an object with
 *         `ticks` (exact) and `seconds`, a share of something also has `percent`. The first member is `schema`
 *   CSV   tables only (RFC 4180), separated by an empty line; a duration is two columns, <key>_ticks and <key>_s
 * An estimate has half of its 95 % interval beside it. Text has `~1.240 s ±3.0 %` (`±?`: unknown). JSON has a further
 * member <key>_half_width in the form of a count or duration (null: unknown). CSV has further columns (inf: unknown).
 * Texts in cells may come from anywhere: print/ escapes them. Pointers are used only during the call.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_PRINT_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_PRINT_H

#include "analyzer/command/print/cell.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum print_format { PRINT_TEXT, PRINT_JSON, PRINT_CSV, PRINT_MARKDOWN };

struct print;

#define PRINT_JSON_SCHEMA 3 /* grows when a member of any command changes its meaning or goes; 1 had no number */

/*
 * Begins a document on `file`. 0 ticks per second: the unit of time is unknown, so text has ticks as numbers, and JSON
 * (null) and CSV (empty) have no seconds. NULL: out of memory.
 */
struct print *print_open(enum print_format format, FILE *file, uint64_t ticks_per_second);

/* One fact; all facts come before the first table. CSV has them, as a table `fact,value`, only after
 * print_csv_facts(). */
void print_fact(struct print *print, const char *key, const char *title, enum print_type type, struct print_cell value);
void print_csv_facts(struct print *print);

/*
 * A table: begin, rows (one cell a column), end. `columns` stays valid until the end. `title` may be NULL.
 * A flowing table prints each row at once, in columns of fixed width, and keeps no row in memory.
 */
void print_table(struct print *print, const char *key, const char *title, const struct print_column *columns,
                 size_t column_count, bool flowing);
/* In text, tables by thread have a line for 50 threads of a group, and one for the others. */
void print_shorten(struct print *print);
/*
 * The next table has a row a thread, with a column "Thread" and the key `thread`, its number. Rows for all have no
 * number. Rows of a group come together: they are equal in the columns before these two. Counts, durations and shares
 * can be added up. one_whole: the shares of all rows are of the same whole.
 */
void print_by_thread(struct print *print, bool one_whole);
/* The cells of the next table may be estimates: in CSV, further columns follow each COUNT, DURATION and SHARE. */
void print_may_estimate(struct print *print);

void print_row(struct print *print, const struct print_cell *cells);
void print_table_end(struct print *print);

/* A sentence for people; programs get it as a text. */
void print_sentence(struct print *print, const char *key, const char *text);

/* One object with a member for each column. JSON alone has it. */
void print_object(struct print *print, const char *key, const struct print_column *columns, size_t column_count,
                  const struct print_cell *cells);

/* Ends the document. False: it cannot be written, or memory ran out; a message is on stderr. */
bool print_close(struct print *print);

#endif
