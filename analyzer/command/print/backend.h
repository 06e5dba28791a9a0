/* Private to print/: what a format implements. The format escapes texts. */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_BACKEND_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_BACKEND_H

#include "analyzer/command/print/cell.h"
#include "base/vector.h"

#include <stddef.h>
#include <stdio.h>

struct print;

struct print_backend {
  void (*begin)(struct print *print);
  void (*fact)(struct print *print, const char *key, const char *title, enum print_type type, struct print_cell value);
  void (*facts_end)(struct print *print);
  void (*table)(struct print *print, const char *key, const char *title);
  void (*row)(struct print *print, const struct print_cell *cells);
  void (*table_end)(struct print *print);
  void (*sentence)(struct print *print, const char *key, const char *text);
  void (*object)(struct print *print, const char *key, const struct print_cell *cells); /* NULL: it has none */
  void (*end)(struct print *print);
};

/* Tables with a row a thread: rows of the same group behind the first ones are added up. */
struct print_threads {
  bool by_thread; /* the next table is one; with `on`: rows are added up */
  bool one_whole; /* shares are of one whole */
  bool on;
  size_t thread, location; /* columns */
  size_t group;            /* columns before: the rows of a group are equal there */
  uint64_t shown, further; /* rows of the group with a line, and without */
  struct print_cell *rest; /* by column: the cells of the group, and sums */
};

/* After print_table(): looks whether rows are to be added up. */
void print_threads_begin(struct print *print);
/* True: the row was added to the others of its group, and is not printed. */
bool print_threads_take(struct print *print, const struct print_cell *cells);
void print_threads_end(struct print *print);

struct print {
  const struct print_backend *backend;
  FILE *file;
  uint64_t ticks_per_second;
  const struct print_column *columns;
  size_t column_count;
  bool flowing;
  bool estimates;     /* CSV: the table has columns for half-widths */
  bool csv_facts;     /* CSV: facts are shown */
  bool wrote_csv;     /* CSV: an empty line comes before the next table */
  bool in_facts;      /* facts were printed; facts_end() was not called yet */
  bool something;     /* the document is not empty */
  bool table_has_row; /* the table is not empty */
  bool failed;        /* out of memory */
  bool shortens;      /* text: only some of many threads have a line */
  bool styled;        /* text: a terminal shows headings and zeros in another way */
  size_t width;       /* text: characters of a line of the terminal; 0: lines have any length */
  struct print_threads threads;
  /* Text: the cells of the table, formatted and escaped, row by row. */
  VECTOR(char *) cells;
  bool *all_zero; /* a column */
};

/* A cell as people read it; the caller frees it. NULL: out of memory, which print notes. */
char *print_format_cell(struct print *print, enum print_type type, const struct print_cell *cell);

extern const struct print_backend print_text_backend, print_json_backend, print_csv_backend, print_markdown_backend;

#endif
