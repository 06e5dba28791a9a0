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
  /* Text: the cells of the table, formatted and escaped, row by row. */
  VECTOR(char *) cells;
  bool *all_zero; /* a column */
};

/* A cell as people read it; the caller frees it. NULL: out of memory, which print notes. */
char *print_format_cell(struct print *print, enum print_type type, const struct print_cell *cell);

extern const struct print_backend print_text_backend, print_json_backend, print_csv_backend, print_html_backend;

#endif
